import type { FlowPlan } from '../drive/flow-run.ts'
import type { AppProfile } from './app-profile.ts'

/** How the app gets to Create: by the answer of Use, or by a page of its own. */
export const planOfCreate = (
  persona: string,
  {
    profile,
    page,
    outcome = 'created',
  }: { profile: AppProfile; page: FlowPlan['page']; outcome?: string | undefined },
): FlowPlan => ({
  use: { persona, outcome: profile.canCreate ? 'create_requested' : 'access_denied' },
  create: { persona, outcome },
  page,
})
