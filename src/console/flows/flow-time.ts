import { type Html, html } from '../../http/html/html.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'

/** The clock of the sandbox when a page was made. */
export interface PageClock {
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  readonly frozen: boolean
  /** The lifetime of a request_uri, in seconds. */
  readonly requestUriSeconds: number
}

/** The present by the clock of a tenant, with the lifetimes that depend on it. */
export const pageClock = ({ clock, provider }: Pick<Tenant, 'clock' | 'provider'>): PageClock => ({
  now: clock.now(),
  frozen: clock.state().frozen,
  requestUriSeconds: provider.lifetimes.requestUri,
})

/** How long ago an instant was; a style sheet shows the instant itself on hover and on focus. */
export function renderFlowTime(instant: string, { now }: Pick<PageClock, 'now'>): Html {
  const shown = instant.replace('T', ' ').replace(/(?:\.\d+)?Z$/, 'Z')
  const isToday = instant.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return html`<time datetime="${instant}" title="${shown} by the clock of the sandbox"><span data-ago>${ago(Date.parse(instant), now)}</span> <span class="instant">${isToday ? shown.slice(11) : shown.slice(5)}</span></time>`
}

/** `12 s ago`, by the clock of the sandbox; `in 3 h` if the clock was set back since. */
export function ago(instant: number, now: number): string {
  if (Number.isNaN(instant)) return 'unknown'
  const seconds = Math.round(Math.abs(now - instant) / 1000)
  if (seconds < 2) return 'now'
  const [size, unit] = UNITS.find(([most]) => seconds < most)?.slice(1) ?? DAYS
  const length = `${Math.floor(seconds / Number(size))} ${unit}`
  return instant > now ? `in ${length}` : `${length} ago`
}

const DAYS = [86_400, 'd'] as const
/** The largest number of seconds for each unit. `public/flows-times.js` has the same rows. */
const UNITS = [
  [120, 1, 's'],
  [7_200, 60, 'min'],
  [172_800, 3_600, 'h'],
] as const
