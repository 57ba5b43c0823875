import type { Pending } from '../../sandbox/decision/pending.ts'
import { findEarlier } from '../../sandbox/decision/possible-outcome.ts'
import { FALLBACK_PERSONAS, inPersonaOrder } from '../../sandbox/personas/persona-schema.ts'
import { mapInTurns, takeTurn } from '../../sandbox/take-turn.ts'
import { evaluateBriefly } from '../../service/age/evaluate.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import { consolePathOf } from '../http/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Reply } from '../http/reply.ts'
import { fontAdvice } from './appearance.ts'
import { renderChoose } from './choose-page.ts'
import { renderCreate } from './create-page.ts'
import { requireDriver } from './driving.ts'
import { embeddingOf, endsInFrame } from './embedding.ts'
import { lastPersonaOf } from './last-persona.ts'
import { clientBadge } from './logo.ts'
import type { PersonaChoice } from './persona-list.ts'
import { type HostedRequest, hostedReply, hostedShell } from './shell.ts'
import type { WaitingPage } from './waiting-page.ts'

/** Renders the page on which the user decides the pending request `id`. */
export async function hostedPage(
  id: string,
  pending: Pending,
  hosted: HostedRequest,
): Promise<Reply> {
  // Redis answers many requests at once. Without a turn all their pages would be rendered without a
  // pause.
  await takeTurn()
  const { transaction } = pending
  const page = await waitingPage(pending, { id, hosted })
  const rendered =
    transaction.flow === 'create'
      ? await renderCreatePage({ ...page, transaction }, hosted)
      : await renderChoicePage({ ...page, transaction }, hosted)
  // Chromium also applies `form-action` to the redirect after the form.
  const reply = hostedReply(rendered, {
    lang: page.shell.lang,
    redirectUri: transaction.redirectUri,
  })
  // With `no-store` the back button would request the URL again and begin a second flow.
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'private, no-cache' } }
}

/** Collects the data that all pages of a pending request show. */
export async function waitingPage(
  { transaction, findings }: Pending,
  { id, hosted }: { readonly id: string; readonly hosted: HostedRequest },
): Promise<WaitingPage & { readonly shell: ReturnType<typeof hostedShell> }> {
  const { tenant, request, continued, chosenLanguage } = hosted
  return {
    shell: hostedShell(hosted, transaction.presentation),
    id,
    transaction,
    findings,
    path: `${tenant.basePath}/v1/oidc/${transaction.flow}`,
    client: await clientBadge(tenant, transaction.clientId),
    brand: tenant.provider.brand,
    embedding: embeddingOf(request),
    now: tenant.clock.now(),
    earlier: await findEarlier(transaction, tenant),
    drivingBar: drivingBar(hosted),
    continued,
    chosenLanguage,
  }
}

/**
 * Decision: the Create page preselects the persona of this browser's last Use, otherwise the
 * persona without an age key, so that the main button never replaces an age key by accident.
 */
async function renderCreatePage(
  page: WaitingPage<CreateTransaction>,
  hosted: HostedRequest,
): Promise<RenderedPage> {
  const personas = await hosted.tenant.personas.list()
  const candidates = [lastPersonaOf(hosted.request), FALLBACK_PERSONAS.create]
  const selected = candidates.find((name) => personas.some((persona) => persona.name === name))
  return renderCreate(page, { personas, selected })
}

async function renderChoicePage(
  page: WaitingPage<UseTransaction>,
  { tenant, request }: HostedRequest,
): Promise<RenderedPage> {
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

/** Why the visitor may not drive the sandbox; `undefined` for a visitor who may. */
function drivingBar(hosted: HostedRequest): WaitingPage['drivingBar'] {
  try {
    requireDriver(hosted)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return {
      by: endsInFrame(hosted) ? 'frame' : 'token',
      consolePath: consolePathOf(hosted.tenant),
    }
  }
}
