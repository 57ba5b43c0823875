import { Refusal } from '../../oidc/refusal.ts'
import type { Incoming } from '../incoming.ts'
import { calledOrigin } from './caller-address.ts'

/**
 * Which pages may make a browser call a route:
 * - `own-pages`: those of the sandbox. When the route is a page, a link of any site opens it in a window of its own.
 * - `navigation`: those of any site that navigate there, in a frame too, as a relying party does. An image, a script or
 *   `fetch` of another site is no navigation.
 * - `every-page`: all, for what is public.
 *
 * Programs send none of the headers by which this is judged, and may call every route.
 */
export type OpenTo = 'own-pages' | 'navigation' | 'every-page'

/** @throws Refusal 403 for a request that a page of another site made a browser send, unless the route is open to it */
export function refuseForeignSite(
  request: Incoming,
  { openTo, isPage, ownOrigins }: { openTo: OpenTo; isPage: boolean; ownOrigins: readonly string[] },
): void {
  if (openTo === 'every-page') return
  const foreign = foreignHeader(request, ownOrigins)
  if (foreign === undefined) return
  const [mode, destination] = [request.header('sec-fetch-mode'), request.header('sec-fetch-dest')]
  const isLink =
    mode === 'navigate' && destination === 'document' && (request.method === 'GET' || request.method === 'HEAD')
  if (openTo === 'own-pages' && !(isPage && isLink)) {
    throw forbidden(
      `${foreign}: a page of another site may not call this; open the address itself, or call it by a program`,
    )
  }
  // Browsers that name no mode are too old to be judged, and a service answers them.
  if (openTo === 'navigation' && mode !== undefined && mode !== 'navigate') {
    throw forbidden(
      `${foreign}, Sec-Fetch-Mode: ${excerpt(mode)}, Sec-Fetch-Dest: ${excerpt(destination ?? 'absent')}: a page of another site begins a flow by a link, a redirect or an iframe, not by an image, a script or fetch`,
    )
  }
}

const forbidden = (message: string) => Refusal.byHttp(403, message, { title: 'Not for pages of other sites' })

/** The header that names another site as the origin of the request. Browsers send at least one of them with every POST. */
export function foreignHeader(request: Incoming, ownOrigins: readonly string[]): string | undefined {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return `Sec-Fetch-Site: ${excerpt(site)}`
  const origin = request.header('origin')
  const isOwn = origin === undefined || ownOrigins.includes(origin) || origin === calledOrigin(request)
  return isOwn ? undefined : `Origin: ${excerpt(origin)}`
}

const excerpt = (value: string) => (value.length > 80 ? `${value.slice(0, 80)}...` : value)
