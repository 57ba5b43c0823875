import { evaluateBriefly } from '../age/evaluate.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Reply } from '../http/reply.ts'
import type { CreateTransaction } from '../oidc/create.ts'
import type { UseTransaction } from '../oidc/use.ts'
import type { Pending } from '../sandbox/decision/pending.ts'
import { findEarlier } from '../sandbox/decision/possible-outcome.ts'
import { inPersonaOrder } from '../sandbox/personas/persona-schema.ts'
import { mapInTurns, takeTurn } from '../sandbox/take-turn.ts'
import { fontAdvice } from './appearance.ts'
import type { PersonaChoice } from './choices/persona-row.ts'
import { renderChoose } from './choose-page.ts'
import { renderCreate } from './create-page.ts'
import { drivingBar } from './driving/driving-bar.ts'
import { embeddingOf } from './embedding/embedding.ts'
import { lastPersonaOf, preselectedPersona } from './last-persona.ts'
import { clientBadge } from './logo.ts'
import { hostedReply, hostedShell, type Visit } from './shell.ts'
import type { WaitingPage } from './waiting-page.ts'

/** The page on which the user decides the pending request `id`. */
export async function hostedPage(id: string, pending: Pending, visit: Visit): Promise<Reply> {
  // The store answers many requests at once: without a turn, all their pages would be rendered in one go.
  await takeTurn()
  const { transaction } = pending
  const page = await waitingPage(pending, { id, visit })
  const rendered =
    transaction.flow === 'create'
      ? await renderCreatePage({ ...page, transaction }, visit)
      : await renderChoicePage({ ...page, transaction }, visit)
  // Chromium applies form-action also to the redirect after the form.
  const reply = hostedReply(rendered, { lang: page.shell.lang, redirectUri: transaction.redirectUri })
  // With `no-store` the back button would request the URL again and begin a second flow.
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' } }
}

/** What the pages of a pending request have in common. */
export async function waitingPage(
  { transaction, findings }: Pending,
  { id, visit }: { readonly id: string; readonly visit: Visit },
): Promise<WaitingPage & { readonly shell: ReturnType<typeof hostedShell> }> {
  const { tenant, request, continued, chosenLanguage } = visit
  return {
    shell: hostedShell(visit, transaction.presentation),
    id,
    transaction,
    findings,
    path: `${tenant.basePath}/v1/oidc/${transaction.flow}`,
    client: await clientBadge(tenant, transaction.clientId),
    brand: tenant.provider.brand,
    embedding: embeddingOf(request),
    now: tenant.clock.now(),
    earlier: await findEarlier(transaction, tenant),
    drivingBar: drivingBar(visit, tenant),
    continued,
    chosenLanguage,
  }
}

async function renderCreatePage(
  page: WaitingPage<CreateTransaction>,
  { tenant, request }: Visit,
): Promise<RenderedPage> {
  const personas = await tenant.personas.list()
  return renderCreate(page, { personas, selected: preselectedPersona(request, personas) })
}

async function renderChoicePage(page: WaitingPage<UseTransaction>, { tenant, request }: Visit): Promise<RenderedPage> {
  const { claims, presentation } = page.transaction
  const changed = await tenant.personas.changed()
  const choiceOf = (persona: PersonaChoice['persona']): PersonaChoice => {
    const { age_key: ageKey } = tenant.personas.resolved(persona)
    const isChanged = changed.includes(persona.name)
    const evaluation = ageKey && evaluateBriefly(ageKey.signals, claims, page.now)
    return { persona, isChanged, ...(evaluation && { evaluation }) }
  }
  const choices = await mapInTurns(inPersonaOrder(await tenant.personas.list()), choiceOf)
  const fontFindings = fontAdvice(presentation.appearance, tenant.provider)
  return renderChoose({ ...page, fontFindings }, { choices, last: lastPersonaOf(request) })
}
