import { Refusal } from '../oidc/refusal.ts'
import { calledOrigin } from './caller-address.ts'
import type { Incoming } from './incoming.ts'

/**
 * Refuses a state-changing request that another site's page made a browser send.
 * Programs send neither header; browsers send at least one of them with every POST.
 * @throws Refusal 403
 */
export function refuseCrossSite(request: Incoming, ownOrigins: readonly string[]): void {
  const site = request.header('sec-fetch-site')
  const origin = request.header('origin')
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const foreignOrigin = origin !== undefined && !ownOrigins.includes(origin) && origin !== calledOrigin(request)
  if (!foreignSite && !foreignOrigin) return
  throw Refusal.byHttp(
    403,
    'A page of another site may not do this: the request came with a foreign Origin or Sec-Fetch-Site header.',
    {},
  )
}
