import type { Incoming } from '../incoming.ts'
import { calledOrigin, forwardedOrigin } from './called-address.ts'
import { type ControlGuard, takesFormsAt } from './guard.ts'

/** The address under which a browser shows a page of the sandbox. */
export interface BrowserAddress {
  /**
   * The origins whose forms the sandbox accepts. A script of the page compares them with the
   * address in the browser.
   */
  readonly known: readonly string[]
  /**
   * The origin in the browser, when the headers name an origin whose forms the sandbox refuses.
   * Absent also when a proxy hides the origin.
   */
  readonly unknown: string | undefined
}

export function browserAddress(request: Incoming, guard: ControlGuard): BrowserAddress {
  const called = calledOrigin(request)
  const isTaken = called !== undefined && takesFormsAt(called, guard)
  const known = isTaken ? [...guard.origins, called] : guard.origins
  const shown = forwardedOrigin(request) ?? called
  return { known, unknown: shown === undefined || isKnown(shown, known) ? undefined : shown }
}

/**
 * Whether an origin is known. An origin without a port is compared by protocol and host only,
 * because a proxy may omit its port.
 */
function isKnown(origin: string, known: readonly string[]): boolean {
  const { protocol, hostname, port } = new URL(origin)
  return known.some((one) => {
    const url = new URL(one)
    return (
      url.protocol === protocol && url.hostname === hostname && (port === '' || url.port === port)
    )
  })
}
