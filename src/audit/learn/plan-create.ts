import type { FlowPlan } from '../drive/flow-run.ts'
import type { AppProfile } from './app-profile.ts'

/** Plans a run that leads to Create: by the answer to Use, or by a page of the app. */
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
