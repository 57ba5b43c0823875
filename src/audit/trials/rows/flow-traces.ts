import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { Flow } from '../../../server/client/shapes.ts'

/** Where pages and journal show how the app reacts to the rows of a call. */
export interface FlowTrace {
  /** The learned flow whose last page shows the reaction. */
  readonly page: 'use' | 'create' | 'upgrade'
  /** The endpoint that answers with the row. */
  readonly sentBy: string
  /** The next endpoint, which an app calls only if it accepted the row. */
  readonly next?: string
  /** The evidence if the app called `next`. */
  readonly sign?: string
}

const USE: FlowTrace = {
  page: 'use',
  sentBy: 'E1',
  next: 'E4',
  sign: 'your app exchanged the code (E4)',
}

const TRACES: Readonly<Partial<Record<AuditRow['flow'], FlowTrace>>> = {
  create: { page: 'create', sentBy: 'E3' },
  par: {
    page: 'create',
    sentBy: 'E2',
    next: 'E3',
    sign: 'your app sent the browser on to Create (E3)',
  },
  token: { page: 'upgrade', sentBy: 'E4', next: 'E5', sign: 'your app sent an upgrade (E5)' },
  upgrade: { page: 'upgrade', sentBy: 'E5' },
}

/** The trace of a call. Calls without their own trace have the trace of Use. */
export const traceOf = (flow: AuditRow['flow']): FlowTrace => TRACES[flow] ?? USE

export const hasCall = ({ calls }: Flow, endpoint: string): boolean =>
  calls.some((call) => call.endpoint === endpoint)
