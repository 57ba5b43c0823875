import { evaluateAnswers } from '../../service/age/evaluate.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import { endpointOf } from '../../service/oidc/endpoints.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { type Brand, upgradeScope } from '../../service/oidc/rules/profile.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import { callbackOf } from '../journal/call-record.ts'
import type { ListedFlow } from '../journal/journal.ts'
import { requireOutcome } from '../outcomes/names.ts'
import type { Need, Outcome } from '../outcomes/outcome.ts'
import type { ReplayableAnswer } from '../outcomes/tamper-tools.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Tenant } from '../tenants/tenant.ts'

type Transaction = UseTransaction | CreateTransaction

/** The first need of the outcome that the request does not meet. */
export function unmetNeed(
  { flow, needs = [] }: Outcome,
  transaction: Transaction,
  earlier: ReplayableAnswer | undefined,
): Need | undefined {
  if (transaction.flow !== 'use') return undefined
  const { canCreate, upgrade, state } = transaction
  const meets: Readonly<Record<Need, boolean>> = {
    can_create: canCreate,
    no_can_create: !canCreate,
    upgrade_scope: upgrade,
    // `requireFittingPersona` checks these needs once the persona is known.
    age_key: true,
    no_code: true,
    earlier_flow: earlier !== undefined,
    earlier_state: earlier !== undefined && earlier.state !== state,
  }
  const all: readonly Need[] = followsCode(flow) ? ['upgrade_scope', ...needs] : needs
  return all.find((need) => !meets[need])
}

/** Whether calls of this flow need a code of a Use flow. */
export const followsCode = (flow: CallName): boolean => endpointOf(flow).flow === 'upgrade'

const CODE_IS_DUE =
  'no threshold is met and the request asks for the upgrade scope, so that a code is due; name an older persona, or leave the scope out'
const NO_AGE_KEY =
  'it has no age key, so there is neither an id_token nor a code; name a persona that has one'

const whyUnmet = (need: Need, brand: Brand): string =>
  ({
    can_create: 'the request did not send can_create=true; send it, or choose another outcome',
    no_can_create:
      'the request sent can_create=true, which makes this answer a legal one; leave it out, or choose another outcome',
    upgrade_scope: `the request did not ask for the upgrade scope; send scope=openid ${upgradeScope(brand)}, or choose another outcome`,
    age_key: NO_AGE_KEY,
    no_code: CODE_IS_DUE,
    earlier_flow:
      'this client has no earlier Use flow that ended well (verified, with another nonce); finish one first, or choose another outcome',
    earlier_state:
      'the request has the state of the earlier flow, so that the answer would be right; send another state with each request, or choose another outcome',
  })[need]

/**
 * Checks that the persona can have the outcome. Decision: a persona without an age key is refused
 * for an outcome that changes an id_token or needs a code; a persona that receives a code anyway is
 * refused for an outcome that adds a code. Otherwise the flow would end in another way, and a test
 * that expects a refusal would pass for the wrong reason.
 * @throws Refusal when the persona does not fit
 */
export async function requireFittingPersona(
  { name, needs = [] }: Outcome,
  persona: Persona | undefined,
  { source, transaction, tenant }: { source: string; transaction: Transaction; tenant: Tenant },
): Promise<void> {
  const impossible = (why: string) =>
    refuse(source, `${name} is not possible as ${persona?.name}: ${why}`)
  if (needs.includes('age_key') && !persona?.age_key) impossible(NO_AGE_KEY)
  if (!needs.includes('no_code') || transaction.flow !== 'use' || !transaction.upgrade || !persona)
    return
  const { signals = [] } = (await tenant.personas.ageKeyOf(persona)) ?? {}
  const answers = evaluateAnswers(signals, transaction.claims, tenant.provider.clock.now())
  if (!Object.values(answers).includes(true)) impossible(CODE_IS_DUE)
}

/**
 * Finds an outcome by name, with the earlier answer that it replays.
 * @throws Refusal for an unknown name, and for an outcome that the request cannot have
 */
export async function requirePossibleOutcome(
  transaction: Transaction,
  name: string,
  { source, tenant }: { source: string; tenant: Tenant },
): Promise<{ outcome: Outcome; earlier: ReplayableAnswer | undefined }> {
  const outcome = requireOutcome(transaction.flow, name, source)
  const earlier = outcome.needs?.includes('earlier_flow')
    ? await findEarlier(transaction, tenant)
    : undefined
  const unmet = unmetNeed(outcome, transaction, earlier)
  if (unmet)
    refuse(source, `${name} is not possible here: ${whyUnmet(unmet, tenant.provider.brand)}`)
  return { outcome, earlier }
}

function refuse(source: string, problem: string): never {
  throw Refusal.invalidRequest(`${source}: ${problem}.`, {
    title: 'This test decision is not possible',
  })
}

/**
 * Maximum number of flows that are searched. A few flows that begin together may share `state` or
 * `nonce` with the request.
 */
const MAX_SEARCHED = 10

/**
 * Finds the latest verified answer to the same client that can be replayed to a Use request. Its
 * `nonce` must differ, because with the same `nonce` the answer could be right. A different `state`
 * is preferred but not required: some clients always send the same `state`. The answer comes from
 * the journal, so the relying party has seen it.
 */
export async function findEarlier(
  request: Pick<UseTransaction, 'flow' | 'clientId' | 'state' | 'nonce'> | CreateTransaction,
  { journal, name }: Pick<Tenant, 'journal' | 'name'>,
): Promise<ReplayableAnswer | undefined> {
  if (request.flow !== 'use') return undefined
  const filter = {
    flow: 'use',
    client_id: request.clientId,
    outcome: 'verified',
    audit: 'also',
  } as const
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
