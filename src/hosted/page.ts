import { evaluateAnswers } from '../age/evaluate.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Reply } from '../http/reply.ts'
import type { UseTransaction } from '../oidc/use.ts'
import type { Pending } from '../sandbox/decision/pending.ts'
import { findEarlier } from '../sandbox/decision/possible-outcome.ts'
import { inPersonaOrder } from '../sandbox/personas/persona-order.ts'
import { mapInTurns, takeTurn } from '../sandbox/take-turn.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { fontAdvice } from './appearance.ts'
import type { PersonaChoice } from './choices/persona-list.ts'
import { renderChoose } from './choose-page.ts'
import { renderCreate } from './create-page.ts'
import { drivingBar } from './driving/driving-bar.ts'
import { embeddingOf } from './embedding/embedding.ts'
import { preselectedPersona } from './last-persona.ts'
import { clientBadge } from './logo.ts'
import { hostedReply, hostedShell, type Visit } from './shell.ts'
import type { WaitingPage } from './waiting-page.ts'

/** The page on which the user decides the pending request `id`. */
export async function hostedPage(id: string, pending: Pending, visit: Visit): Promise<Reply> {
  // A store answers many requests at once: what follows would be done for all of them in one go.
  await takeTurn()
  const { transaction } = pending
  const shell = hostedShell(visit, transaction.presentation)
  const rendered = await renderWaiting(pending, { id, shell, visit })
  // Chromium applies form-action to the redirect that answers the form.
  const reply = hostedReply(rendered, { ...shell, redirectUri: transaction.redirectUri })
  // Not no-store: the back button would request the URL again and begin a second flow, although the first one is over.
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' } }
}

async function renderWaiting(
  { transaction, findings }: Pending,
  { id, shell, visit }: { id: string; shell: WaitingPage['shell']; visit: Visit },
): Promise<RenderedPage> {
  const { tenant, request, continued, clockMoved, chosenLanguage } = visit
  const shared = {
    shell,
    id,
    findings,
    path: `${tenant.basePath}/v1/oidc/${transaction.flow}`,
    client: await clientBadge(tenant, transaction.clientId),
    embedding: embeddingOf(request),
    now: tenant.clock.now(),
    earlier: await findEarlier(transaction, tenant),
    drivingBar: drivingBar(visit, tenant),
    continued,
    clockMoved,
    chosenLanguage,
  }
  const personas = await tenant.personas.list()
  if (transaction.flow === 'create') {
    return renderCreate({ ...shared, transaction }, { personas, selected: preselectedPersona(request, personas) })
  }
  const choices = await mapInTurns(inPersonaOrder(personas), (persona) => choiceOf(persona, transaction, tenant))
  const fontFindings = fontAdvice(transaction.presentation.appearance, tenant.provider)
  return renderChoose({ ...shared, transaction, fontFindings }, choices)
}

function choiceOf(persona: PersonaChoice['persona'], { claims }: UseTransaction, tenant: Tenant): PersonaChoice {
  const { age_key: ageKey } = tenant.personas.resolved(persona)
  return ageKey ? { persona, ageThresholds: evaluateAnswers(ageKey.signals, claims, tenant.clock.now()) } : { persona }
}
