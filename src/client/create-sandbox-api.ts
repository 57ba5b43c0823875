import { checkTenantChange } from '../config/option-check.ts'
import type { OperationId, OperationInput, OperationResult } from '../control/contract/contract.ts'
import { snakeCased } from '../files/camel-case.ts'
import type { ClockMove } from '../sandbox/clock/clock.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { SandboxApi } from './sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'
import type { FlowFilter } from './shapes.ts'

/** Makes control calls for one tenant. @throws SandboxError when a call is refused */
export interface Transport {
  /** Finds the flow that ended last. The question is sent before the function returns, not after a module is loaded. */
  lastEnded(): Promise<string>
  call<Op extends OperationId>(operationId: Op, input: OperationInput<Op>): Promise<OperationResult<Op>>
}

/** Creates the API of one tenant from its transport. */
export function createSandboxApi(
  { call, lastEnded }: Transport,
  tenant: { readonly name: string; readonly baseUrl: string },
): SandboxApi {
  const move = (change: ClockMove) => call('moveClock', { body: change })
  const awaitEnding: SandboxApi['flows']['ended'] = async ({ timeoutSeconds = 10, since, ...filter } = {}) => {
    const from = since ?? (await lastEnded())
    const { flows, last_ended: last } = await call('listFlows', {
      query: { ...filter, since: from, wait: timeoutSeconds, limit: 1 },
    })
    if (flows[0]) return get(flows[0].id)
    throw noEnding({ ...filter, timeoutSeconds, since }, last)
  }
  const get = (id: string) => call('getFlow', { params: { id }, query: {} })
  const list: SandboxApi['flows']['list'] = ({ limit = 50, ...filter } = {}) =>
    everyItem(
      (last, wanted) => call('listFlows', { query: { ...filter, before: last ?? filter.before, limit: wanted } }),
      ({ flows }) => flows,
      limit,
    )
  return {
    baseUrl: tenant.baseUrl,
    next: async ({ flow, ...decision }) =>
      call('addExpectation', { body: { flow: flow ?? flowOf(decision.outcome), ...decision } }),
    expectations: {
      list: () =>
        everyItem(
          (after) => call('listExpectations', { query: { after } }),
          ({ expectations }) => expectations,
        ),
      remove: (id) => call('removeExpectation', { params: { id } }),
      clear: () => call('clearExpectations', {}),
    },
    scenarios: {
      arm: (scenario) => call('armScenario', { body: scenario }),
      list: () =>
        everyItem(
          (after) => call('listScenarios', { query: { after } }),
          ({ scenarios }) => scenarios,
        ),
      get: (id, { waitSeconds, after } = {}) =>
        quietly(call('getScenario', { params: { id }, query: { wait: waitSeconds, after } })),
      remove: (id) => call('removeScenario', { params: { id } }),
      clear: () => call('clearScenarios', {}),
    },
    clock: {
      state: () => call('getClock', {}),
      advance: (seconds) => move({ advance: seconds }),
      set: async (instant) => move({ set: typeof instant === 'string' ? instant : instant.toISOString() }),
      freeze: (frozen = true) => move({ freeze: frozen }),
      reset: () => move({ reset: true }),
    },
    personas: {
      list: () =>
        everyItem(
          (after) => call('listPersonas', { query: { after } }),
          ({ personas }) => personas,
        ),
      get: (name) => call('getPersona', { params: { name } }),
      put: async (persona) => call('putPersona', { params: { name: persona.name }, body: persona }),
      putAll: async (personas) => (await call('putPersonas', { body: { personas } })).personas,
      remove: (name) => call('deletePersona', { params: { name } }),
    },
    flows: {
      list,
      get,
      export: (id, as) => call('exportFlow', { params: { id, as } }),
      async last(filter) {
        const [newest] = await list({ ...filter, limit: 1 })
        return newest && get(newest.id)
      },
      ended: (options) => quietly(awaitEnding(options)),
      mark: lastEnded,
    },
    coverage: {
      get: () => call('getCoverage', {}),
      clear: () => call('clearCoverage', {}),
      name: (test) => call('nameCoverageTest', { body: { name: test ?? null } }),
    },
    evaluate: (question) => call('evaluate', { body: question }),
    keys: { rotate: (stage) => call('rotateKeys', { body: { stage } }) },
    async configure(change) {
      checkTenantChange(change)
      const { clients, lifetimes, ...others } = change
      const body = {
        ...snakeCased(others),
        ...(clients && { clients: clients.map(snakeCased) }),
        ...(lifetimes && { lifetimes: snakeCased(lifetimes) }),
      }
      await call('putTenant', { params: { name: tenant.name }, body })
    },
    async readings() {
      const { readings } = await call('getTenant', { params: { name: tenant.name } })
      return { readings }
    },
    reset: () => call('reset', {}),
  }
}

/** Reads a list page by page, up to `limit` items. @param read reads up to `wanted` items behind the item `last` */
async function everyItem<Page extends { readonly next?: string | undefined }, Item>(
  read: (last: string | undefined, wanted: number) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = []
  let last: string | undefined
  do {
    const page = await read(last, limit - items.length)
    items.push(...itemsOf(page))
    last = page.next
  } while (last !== undefined && items.length < limit)
  return items
}

/** A test may fail before it awaits this promise: then its own error counts. */
function quietly<Result>(waiting: Promise<Result>): Promise<Result> {
  waiting.catch(() => {})
  return waiting
}

function noEnding(
  { timeoutSeconds, since, ...filter }: FlowFilter & { timeoutSeconds: number; since: string | undefined },
  last: string,
): SandboxError {
  const matching = Object.keys(filter).length === 0 ? '' : ` that matches ${JSON.stringify(filter)}`
  const after = since === undefined ? 'the call' : since
  const hint =
    since !== undefined || last === 'f0'
      ? ''
      : `; ${last} had ended before: call ended() before what ends the flow, or give it since: await flows.mark()`
  const message = `no flow${matching} ended within ${timeoutSeconds} s after ${after}${hint}`
  return new SandboxError(message, { status: 0, error: 'timeout' })
}

function flowOf(outcome: string | undefined): OutcomeFlow {
  const flows = OUTCOMES.filter((row) => row.name === outcome).map((row) => row.flow)
  const [first = 'use'] = flows
  return flows.includes('use') ? 'use' : first
}
