import * as z from 'zod'
import type { Awaitable, Ids } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { echoedText } from '../../oidc/request/echoed.ts'
import { OUTCOME_FLOWS, type OutcomeFlow } from '../outcomes/outcome.ts'
import type { Personas } from '../personas/personas.ts'
import { type Tables, table } from '../tables.ts'
import type { ReceivedCall } from './call.ts'
import { requireOutcome, requirePersona } from './names.ts'

/** What to queue. */
export const newExpectationSchema = z.strictObject({
  flow: z.enum(OUTCOME_FLOWS),
  persona: z.string().optional(),
  outcome: z.string().optional(),
  match: z
    .strictObject({ client_id: echoedText, state: echoedText, nonce: echoedText })
    .partial()
    .optional()
    .describe(
      'The request must say the same; in Create state is the pushed one, for token and upgrade that of the Use request',
    ),
  audit: z.literal(true).optional().describe('Marks its flow as one of an audit'),
  times: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'How many requests it decides; 1 when absent. For discovery and jwks every read until a flow has ended counts as one',
    ),
})

/** A decision queued for a coming request. */
export const expectationSchema = z.object({
  id: z.string(),
  ...newExpectationSchema.shape,
  times: z.int(),
  remaining: z.int(),
  held_since: z
    .string()
    .optional()
    .describe(
      'Of discovery and jwks, once a read has met it: the flow that had ended last then. It holds until another one ends',
    ),
})

export type NewExpectation = z.infer<typeof newExpectationSchema>
export type Expectation = z.infer<typeof expectationSchema>

/** @throws Refusal for a decision without persona and outcome, and for names that do not exist */
export async function checkExpectation(
  { flow, persona, outcome }: NewExpectation,
  { personas }: { personas: Personas },
): Promise<void> {
  if (persona === undefined && outcome === undefined)
    throw Refusal.invalidRequest('body: give persona, outcome or both')
  if (persona !== undefined && flow !== 'use' && flow !== 'create') {
    throw Refusal.invalidRequest(`persona: a ${flow} call has no persona; give outcome only`)
  }
  if (persona !== undefined) await requirePersona(persona, { personas })
  if (outcome !== undefined) requireOutcome(flow, outcome)
}

/** The queue of one tenant: first in, first out. */
export interface Expectations {
  list(): Promise<Expectation[]>
  /** A caller drives the tenant by it. @throws Refusal */
  add(expectation: NewExpectation): Promise<Expectation>
  /** Adds what the address of a flow forces on a later call. @throws Refusal */
  addLater(expectation: NewExpectation): Promise<Expectation>
  /** The first one that fits, not yet spent. */
  find(call: ReceivedCall): Promise<Expectation | undefined>
  /** Uses it up by one; one for discovery or jwks holds from now on. `false` when another caller took it first. */
  spend(id: string, flow: OutcomeFlow): Promise<boolean>
  /** Queues what a scenario has decided for a first read of discovery or keys, so that it holds, too. */
  hold(served: Pick<NewExpectation, 'flow' | 'outcome'>): Promise<void>
  /** `false` when there is none of this id. */
  remove(id: string): Awaitable<boolean>
  clear(): Promise<void>
}

const MAX_EXPECTATIONS = 10_000

/**
 * Decision: what is queued for these holds until a flow has ended after it was first served. Clients rightly read them more
 * than once, a discovery document per issuer and the keys again for an unknown kid, and would not meet it.
 */
export const isHeld = (flow: OutcomeFlow): boolean => flow === 'discovery' || flow === 'jwks'

const PARSED = new WeakMap<object, Expectation>()

/** Creates the queue of one tenant. @param parts.lastEnded the id of the tenant's flow that ended last */
export function createExpectations({
  ids,
  tables,
  lastEnded,
}: {
  ids: Ids
  tables: Tables
  lastEnded(): Promise<string>
}): Expectations {
  const queue = table(tables, { name: 'expectation', schema: expectationSchema }, PARSED)
  const newId = () => `x-${ids.random(9)}`
  const queued = async () => (await queue.list()).map(([, expectation]) => expectation)
  /** What is queued; what held until a flow ended is used up by now. */
  async function list() {
    const all = await queued()
    const held = all.filter((expectation) => expectation.held_since !== undefined)
    if (held.length === 0) return all
    const ended = await lastEnded()
    const over = held.filter((expectation) => expectation.held_since !== ended)
    for (const { id, held_since: since } of over) {
      await queue.update(id, (now) => now && (now.held_since === since ? usedOnce(now) : now))
    }
    return over.length === 0 ? all : queued()
  }
  const add: Expectations['add'] = async ({ times = 1, ...wanted }) => {
    // Listed only when it counts: what held until a flow ended may leave room.
    if ((await queue.count()) >= MAX_EXPECTATIONS && (await list()).length >= MAX_EXPECTATIONS)
      throw Refusal.conflict(`expectations: ${MAX_EXPECTATIONS} are queued already; DELETE them, or reset the tenant`)
    const expectation = { ...wanted, id: newId(), times, remaining: times }
    await queue.put(expectation.id, expectation)
    return expectation
  }
  return {
    list,
    add,
    addLater: add,
    find: async (call) => (await list()).find((expectation) => fits(expectation, call)),
    async spend(id, flow) {
      const use = isHeld(flow) ? heldSince(await lastEnded()) : usedOnce
      let wasThere = false
      await queue.update(id, (expectation) => {
        wasThere = expectation !== undefined
        return expectation && use(expectation)
      })
      return wasThere
    },
    async hold(served) {
      const id = newId()
      await queue.put(id, { ...served, id, times: 1, remaining: 1, held_since: await lastEnded() })
    },
    remove: queue.remove,
    async clear() {
      for (const { id } of await queued()) await queue.remove(id)
    },
  }
}

/** Marks the first read; later ones leave the mark. */
const heldSince =
  (ended: string) =>
  (expectation: Expectation): Expectation => ({ ...expectation, held_since: expectation.held_since ?? ended })

/** What is left after one use: `undefined` when it was the last. */
const usedOnce = ({ held_since: _, ...expectation }: Expectation): Expectation | undefined =>
  expectation.remaining > 1 ? { ...expectation, remaining: expectation.remaining - 1 } : undefined

function fits({ flow, outcome, match = {} }: Expectation, call: ReceivedCall): boolean {
  return (
    flow === call.flow &&
    (call.endedAs === undefined || call.endedAs === outcome) &&
    (['client_id', 'state', 'nonce'] as const).every((name) => match[name] === undefined || match[name] === call[name])
  )
}
