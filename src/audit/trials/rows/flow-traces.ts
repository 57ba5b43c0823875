import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { Flow } from '../../../server/client/shapes.ts'

/** Where the pages and the journal show what the app did with the rows of a flow. */
export interface FlowTrace {
  /** The learned flow whose last page shows how a row ended. */
  readonly page: 'use' | 'create' | 'upgrade'
  /** The endpoint that answers with the row. */
  readonly sentBy: string
  /** The endpoint that only an app which accepted the row calls next. */
  readonly next?: string
  /** The evidence when that endpoint was called. */
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

/** Every other call is judged by what Use shows next. */
export const traceOf = (flow: AuditRow['flow']): FlowTrace => TRACES[flow] ?? USE

export const hasCall = ({ calls }: Flow, endpoint: string): boolean =>
  calls.some((call) => call.endpoint === endpoint)
