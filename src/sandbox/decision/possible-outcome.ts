import { evaluateAnswers } from '../../age/evaluate.ts'
import type { CreateTransaction } from '../../oidc/create.ts'
import { endpointOf } from '../../oidc/endpoints.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { type Brand, upgradeScope } from '../../oidc/rules/profile.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import { callbackOf } from '../journal/call-record.ts'
import type { Journal, ListedFlow } from '../journal/journal.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import { requireOutcome } from '../outcomes/names.ts'
import type { Need, Outcome, OutcomeFlow } from '../outcomes/outcome.ts'
import type { ReplayableAnswer } from '../outcomes/tamper-tools.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Tenant } from '../tenants/tenant.ts'

type Transaction = UseTransaction | CreateTransaction

/** The needs of the outcome that the request does not meet. */
export const unmetNeed = (
  outcome: Outcome,
  transaction: Transaction,
  { earlier }: { earlier: ReplayableAnswer | undefined },
): Need | undefined => needsOf(outcome).find((need) => !meets(transaction, need, earlier))

const needsOf = ({ flow, needs = [] }: Outcome): readonly Need[] =>
  followsCode(flow) ? ['upgrade_scope', ...needs] : needs

/** Whether calls of this flow need a code from a Use request. */
const followsCode = (flow: OutcomeFlow) => endpointOf(flow).flow === 'upgrade'

const CODE_IS_DUE =
  'no threshold is met and the request asks for the upgrade scope, so that a code is due; name an older persona, or leave the scope out'
const NO_AGE_KEY = 'it has no age key, so there is neither an id_token nor a code; name a persona that has one'

const UNMET: Readonly<Record<Need, (brand: Brand) => string>> = {
  can_create: () => 'the request did not send can_create=true; send it, or choose another outcome',
  no_can_create: () =>
    'the request sent can_create=true, which makes this answer a legal one; leave it out, or choose another outcome',
  upgrade_scope: (brand) =>
    `the request did not ask for the upgrade scope; send scope=openid ${upgradeScope(brand)}, or choose another outcome`,
  age_key: () => NO_AGE_KEY,
  no_code: () => CODE_IS_DUE,
  earlier_flow: () =>
    'this client has no earlier Use flow that ended well (verified, with another nonce); finish one first, or choose another outcome',
  earlier_state: () =>
    'the request has the state of the earlier flow, so that the answer would be right; send another state with each request, or choose another outcome',
}

function meets(transaction: Transaction, need: Need, earlier: ReplayableAnswer | undefined): boolean {
  if (transaction.flow !== 'use') return true
  switch (need) {
    case 'can_create':
      return transaction.canCreate
    case 'no_can_create':
      return !transaction.canCreate
    case 'upgrade_scope':
      return transaction.upgrade
    case 'age_key':
    case 'no_code':
      // The persona is checked by `requireFittingPersona`, once it is known.
      return true
    case 'earlier_flow':
      return earlier !== undefined
    case 'earlier_state':
      return earlier !== undefined && earlier.state !== transaction.state
  }
}

/**
 * Decision: a persona without an age key is refused an outcome that spoils an id_token or needs a code; a persona for whom a code is due
 * is refused an outcome that adds a code. The flow would silently end in another way, and a test that expects a refusal would pass for
 * the wrong reason.
 * @throws Refusal
 */
export async function requireFittingPersona(
  { name, needs = [] }: Outcome,
  persona: Persona | undefined,
  { source, transaction, tenant }: { source: string; transaction: Transaction; tenant: Tenant },
): Promise<void> {
  const impossible = (why: string) => refuse(source, `${name} is not possible as ${persona?.name}: ${why}`)
  if (needs.includes('age_key') && !persona?.age_key) impossible(NO_AGE_KEY)
  if (!needs.includes('no_code') || transaction.flow !== 'use' || !transaction.upgrade || !persona) return
  const { signals = [] } = (await tenant.personas.ageKeyOf(persona)) ?? {}
  const answers = evaluateAnswers(signals, transaction.claims, tenant.provider.clock.now())
  if (!Object.values(answers).includes(true)) impossible(CODE_IS_DUE)
}

/** How a flow ends when a request names only a persona. */
export const usualOutcome = (flow: Transaction['flow']): Outcome =>
  ownOutcome(flow, flow === 'use' ? 'verified' : 'created')

/**
 * How a Use request ends when its outcome belongs to a later call. Decision: with a code if that call needs one, whatever the persona
 * holds; otherwise the call would never come.
 */
export const outcomeBefore = (later: Outcome, flow: Transaction['flow']): Outcome =>
  followsCode(later.flow) ? ownOutcome(flow, 'code_issued') : usualOutcome(flow)

function ownOutcome(flow: Transaction['flow'], name: string): Outcome {
  const outcome = findOutcome(flow, name)
  if (!outcome) throw new Error(`the catalogue has no outcome ${name} of the ${flow} flow`)
  return outcome
}

/** Whether the ending shows or changes an age key. */
export const needsPersona = ({ ending }: Outcome): boolean =>
  ending === undefined || ending.kind === 'verified' || ending.kind === 'created'

/**
 * Finds the outcome by name, with the earlier answer that it sends again.
 * @throws Refusal for an unknown name, and for an outcome that the request cannot have
 */
export async function requirePossibleOutcome(
  transaction: Transaction,
  name: string,
  { source, tenant }: { source: string; tenant: Tenant },
): Promise<{ outcome: Outcome; earlier: ReplayableAnswer | undefined }> {
  const outcome = requireOutcome(transaction.flow, name, source)
  const earlier = outcome.needs?.includes('earlier_flow') ? await findEarlier(transaction, tenant) : undefined
  const unmet = unmetNeed(outcome, transaction, { earlier })
  if (unmet) refuse(source, `${name} is not possible here: ${UNMET[unmet](tenant.provider.brand)}`)
  return { outcome, earlier }
}

/** The answer of an earlier flow that can be sent again to this request. */
export const findEarlier = async (transaction: Transaction, tenant: Tenant): Promise<ReplayableAnswer | undefined> =>
  transaction.flow === 'use' ? findReplayableAnswer(transaction, tenant) : undefined

function refuse(source: string, problem: string): never {
  throw Refusal.invalidRequest(`${source}: ${problem}.`, { title: 'This test decision is not possible' })
}

/** A few flows that begin together may share `state` or `nonce` with the request; more do not. */
const MAX_SEARCHED = 10

/**
 * The newest good answer to the same client under another `nonce`: under the same `nonce` any answer could be right. An answer under
 * another `state` is preferred; some clients always send the same `state`. The answer comes from the journal, so the relying party has
 * seen it.
 */
export async function findReplayableAnswer(
  { clientId, ...request }: { clientId: string; state: string; nonce: string },
  { journal, name }: { journal: Journal; name: string },
): Promise<ReplayableAnswer | undefined> {
  const filter = { flow: 'use', client_id: clientId, outcome: 'verified', audit: 'also' } as const
  let searched = 0
  let sameState: ReplayableAnswer | undefined
  for await (const flow of journal.list(name, filter)) {
    const answer = answerIn(flow)
    if (answer && answer.nonce !== request.nonce) {
      if (answer.state !== request.state) return answer
      sameState ??= answer
    }
    searched += 1
    if (searched === MAX_SEARCHED) break
  }
  return sameState
}

function answerIn(flow: ListedFlow): ReplayableAnswer | undefined {
  const { state, nonce } = flow.calls[0]?.parameters ?? {}
  const idToken = callbackOf(flow)?.['id_token']
  return typeof state === 'string' && typeof nonce === 'string' && idToken !== undefined
    ? { state, nonce, idToken }
    : undefined
}
