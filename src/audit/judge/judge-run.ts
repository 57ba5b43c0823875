import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import type { Reason } from '../../sandbox/outcomes/audit-report.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Driver, FlowRun } from '../drive/driver.ts'
import { type DeclaredRules, readRun } from '../learn/flow-reader.ts'
import { sentenceOf } from '../learn/observation.ts'
import type { Reading, Signature } from '../learn/signature.ts'

/** What one run of the app says of a row. */
export interface RunVerdict {
  /** `taken`: the app took the answer for a good one. */
  readonly verdict: 'taken' | 'refused' | 'broke' | 'undetermined'
  readonly reason?: Reason
  /** A sentence. */
  readonly evidence: string
  readonly flows: readonly string[]
  /** The app answers that there were too many requests. */
  readonly isLimited?: boolean
}

/** How the flows of an app are read. */
export interface Readers {
  readonly sandbox: SandboxApi
  readonly driver: Driver
  /** Create and Upgrade are absent when the app does not have them. */
  readonly signatures: Readonly<Record<'use', Signature> & Partial<Record<'create' | 'upgrade', Signature>>>
  readonly rules: Readonly<Record<'use' | 'create' | 'upgrade', DeclaredRules>>
  /** After a denial the app offers to create an age key by itself, so that Create is no sign of a yes. */
  readonly createsAfterDenial: boolean
}

/**
 * Judges one run. A refusal counts only when the journal shows that the answer of this row was delivered and the app said
 * no; what the sandbox saw afterwards proves that it was taken.
 */
export async function judgeRun(
  row: Outcome,
  run: FlowRun,
  { readers, isAlone }: { readers: Readers; isAlone: boolean },
): Promise<RunVerdict> {
  const flow = await findFlow(row, run, readers.sandbox)
  const flows = [...new Set([run.useFlow, run.createFlow, flow?.id].filter((id) => id !== undefined))]
  const undetermined = (reason: Reason, evidence: string): RunVerdict => ({
    verdict: 'undetermined',
    reason,
    evidence,
    flows,
  })
  const { summary, end, status } = run.observation
  if (status === 429) return { ...undetermined('control_lost', `your app answers ${summary}`), isLimited: true }
  const seen = sentenceOf(run.observation)
  if (!flow || !isDelivered(row, run, flow)) {
    if (end === 'visit failed') return undetermined('visit_failed', summary)
    if (end === 'timed out') return undetermined('timed_out', summary)
    return undetermined(flow && run.isLaterMet !== false ? 'not_delivered' : 'not_reached', summary)
  }
  const sign = await findSign(row, { run, flow, readers, isAlone })
  if (sign !== undefined) return { verdict: 'taken', evidence: sign, flows }
  if (end === 'visit failed') return undetermined('visit_failed', summary)
  const pageFlow = flowOfPage(row)
  const asItsFlow = await readAs(pageFlow, run, readers)
  // A call that failed ends the later flow before it began: the page is one of Use.
  const reading = asItsFlow === 'unknown' && row.flow !== pageFlow ? await readAs('use', run, readers) : asItsFlow
  if (reading === 'unknown') return undetermined('page_unknown', seen)
  return { verdict: READINGS[reading], evidence: seen, flows }
}

const READINGS = { yes: 'taken', no: 'refused', broke: 'broke' } as const

/** The flow of the journal in which the row is sent. */
export async function findFlow(
  row: Outcome,
  { useFlow, createFlow }: FlowRun,
  sandbox: SandboxApi,
): Promise<Flow | undefined> {
  if (row.flow === 'par') {
    const flows = await sandbox.flows.list({ audit: 'also', flow: 'create', ...(useFlow && { after: useFlow }) })
    // A browser that is sent on with a request_uri that was never issued begins a flow of its own.
    return flows.find(({ calls }) => calls.some(({ endpoint }) => endpoint === 'E2'))
  }
  const id = row.flow === 'create' ? createFlow : useFlow
  return id === undefined ? undefined : sandbox.flows.get(id)
}

/** Whether the app got the answer of the row: the journal says what was sent, the browser that it was brought. */
export function isDelivered(
  { flow, name }: Outcome,
  { brought, isLaterMet }: FlowRun,
  { calls, outcome }: Flow,
): boolean {
  const isCalled = (endpoint: string) => calls.some((call) => call.endpoint === endpoint)
  switch (flow) {
    case 'par':
      return isLaterMet === true && isCalled('E2')
    case 'token':
      return isLaterMet === true && isCalled('E4')
    case 'upgrade':
      return isLaterMet === true && isCalled('E5')
    default:
      return outcome === name && brought[flow === 'create' ? 'E3' : 'E1']
  }
}

/** What the sandbox saw that an app does only with an answer that it took for a good one. */
async function findSign(
  row: Outcome,
  { run, flow, readers, isAlone }: { run: FlowRun; flow: Flow; readers: Readers; isAlone: boolean },
): Promise<string | undefined> {
  const isCalled = (endpoint: string) => flow.calls.some((call) => call.endpoint === endpoint)
  // A call with a code or token that the sandbox did not issue is a flow of its own.
  const isCalledAfter = async (endpoint: string) =>
    isCalled(endpoint) || (isAlone && (await callsAfter(endpoint, flow, readers.sandbox)))
  if (isCalled('trap')) return 'your app fetched an address that the answer named, or followed a redirect there'
  switch (row.flow) {
    case 'use': {
      if (await isCalledAfter('E4')) return 'your app exchanged the code (E4)'
      const isSign = !readers.createsAfterDenial || row.ending?.kind === 'create_requested'
      const wantsCreate = run.reachesCreate && isSign
      return wantsCreate ? 'your app began to create an age key (E3)' : undefined
    }
    case 'par':
      return run.reachesCreate ? 'your app sent the browser on to Create (E3)' : undefined
    case 'token':
      return (await isCalledAfter('E5')) ? 'your app sent an upgrade (E5)' : undefined
    default:
      return undefined
  }
}

async function callsAfter(endpoint: string, { id }: Flow, sandbox: SandboxApi): Promise<boolean> {
  const later = await sandbox.flows.list({ audit: 'also', flow: 'upgrade', after: id })
  return later.some(({ calls }) => calls.some((call) => call.endpoint === endpoint))
}

/** The flow whose last page shows how the row ended. */
export function flowOfPage({ flow }: Outcome): 'use' | 'create' | 'upgrade' {
  if (flow === 'create' || flow === 'par') return 'create'
  return flow === 'token' || flow === 'upgrade' ? 'upgrade' : 'use'
}

/** What the last page says, read as that of a flow. */
export async function readAs(flow: 'use' | 'create' | 'upgrade', run: FlowRun, readers: Readers): Promise<Reading> {
  const { signatures, rules, driver } = readers
  const signature = signatures[flow]
  return signature ? readRun(run, { signature, rules: rules[flow], driver }) : 'unknown'
}
