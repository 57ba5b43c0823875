/** What a revocation drill found: whether an app finds each verification that it received. */
export interface DrillReport {
  /** The base URL of the sandbox. */
  readonly sandbox: string
  /** How the app was asked: `GET http://localhost:3000/admin/verifications?sub={sub}`, or `find` for a function. */
  readonly asked: string
  /** Oldest first. */
  readonly subs: readonly DrilledSub[]
  /** How many of the needed ones the app found. */
  readonly found: number
  /** How many are needed. */
  readonly total: number
  /** Flows whose answer was changed by an outcome, so that no app should keep its `sub`; they are not asked for. */
  readonly spoiled: number
  /** 0: the app found each that is needed. 1: it did not find some, or could not be asked for some. */
  readonly exit_code: 0 | 1
}

/** One id_token that the app received as the service made it. */
export interface DrilledSub {
  readonly sub: string
  /** `f12` */
  readonly flow: string
  /** The page of the flow in the console. */
  readonly url: string
  /** When it was sent: ISO 8601, by the clock of the sandbox. */
  readonly at: string
  readonly client_id: string
  readonly persona?: string | undefined
  /** What it says: `{ 18: true }`. */
  readonly age_thresholds: Readonly<Record<string, boolean>>
  /** Whether it says yes to the age of the app, or to any: without that nothing was granted, and the app may forget it. */
  readonly needed: boolean
  readonly state: 'found' | 'not_found' | 'could_not_ask'
  /** Why, unless it was found. */
  readonly reason?: string | undefined
}
