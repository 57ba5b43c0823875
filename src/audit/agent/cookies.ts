import type { Cookie as PlaywrightCookie } from 'playwright-core'
import { Cookie, CookieJar } from 'tough-cookie'

/**
 * A cookie as Chromium represents it. A `domain` with a leading dot includes subdomains. `expires`
 * is in seconds since 1970.
 */
type ChromiumCookie = Omit<PlaywrightCookie, 'expires' | 'sameSite' | 'partitionKey'> &
  Partial<Pick<PlaywrightCookie, 'expires' | 'sameSite'>>

/** The cookies of a browser. */
export interface Cookies {
  all(): readonly ChromiumCookie[]
  /** Replaces all cookies. @returns the names of new and of changed cookies */
  replace(cookies: readonly ChromiumCookie[]): readonly string[]
  /**
   * The value of the `Cookie` header for a request; `undefined` without cookies.
   * @param sameSiteContext `strict` for a same-site request, `lax` for a cross-site GET navigation,
   * `none` for a cross-site POST (RFC 6265bis section 5.2)
   */
  headerFor(url: URL, sameSiteContext: 'strict' | 'lax' | 'none'): string | undefined
  /**
   * Sets and deletes cookies according to the `Set-Cookie` headers of a response.
   * @returns the names of the set cookies
   */
  keep(setCookie: readonly string[], url: URL): readonly string[]
  /** Removes cookies by name. */
  forget(names: readonly string[]): void
}

/**
 * Creates the cookies of a browser. As in Chrome, cookies belong to a host, not to a port, and
 * `Secure` cookies are also sent over http to this machine. Two rules differ from Chrome:
 * - A cookie without SameSite counts as None. Chrome sends such a cookie with a cross-site POST
 *   during its first two minutes ("Lax+POST"), and a flow takes only seconds.
 * - A cookie with SameSite=None but without Secure is kept. Many apps omit Secure only in
 *   development; in production they set Secure.
 */
export function createCookies(): Cookies {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  const all = (): readonly ChromiumCookie[] =>
    (jar.serializeSync()?.cookies ?? []).flatMap((json) => toChromium(Cookie.fromJSON(json)))

  function replace(cookies: readonly ChromiumCookie[]): readonly string[] {
    const before = new Set(all().map(identityOf))
    jar.removeAllCookiesSync()
    for (const cookie of cookies) jar.store.putCookie(fromChromium(cookie), () => {})
    return cookies.filter((cookie) => !before.has(identityOf(cookie))).map(({ name }) => name)
  }

  return {
    all,
    replace,
    headerFor: (url, sameSiteContext) =>
      jar.getCookieStringSync(url.href, { sameSiteContext }) || undefined,
    keep: (setCookie, url) =>
      setCookie.flatMap((header) => {
        const cookie = Cookie.parse(header, { loose: true })
        if (!cookie) return []
        // The response to a navigation may set cookies with any SameSite value, from any site.
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
        return cookie.TTL() > 0 ? [cookie.key] : []
      }),
    forget: (names) => void replace(all().filter(({ name }) => !names.includes(name))),
  }
}

const identityOf = ({ name, domain, path, value }: ChromiumCookie) =>
  JSON.stringify([name, domain, path, value])

function fromChromium({ name, domain, sameSite, expires = -1, ...cookie }: ChromiumCookie): Cookie {
  return new Cookie({
    ...cookie,
    key: name,
    domain: domain.replace(/^\./, ''),
    hostOnly: !domain.startsWith('.'),
    ...(expires >= 0 && { expires: new Date(expires * 1000) }),
    ...(sameSite && { sameSite: sameSite.toLowerCase() }),
  })
}

function toChromium(cookie: Cookie | undefined): ChromiumCookie | [] {
  if (!cookie) return []
  const { key: name, value, domain, path, secure, httpOnly, hostOnly } = cookie
  const sites = ['Strict', 'Lax', ...(secure ? (['None'] as const) : [])] as const
  const sameSite = sites.find((site) => site.toLowerCase() === cookie.sameSite)
  const expires = (cookie.expiryTime() ?? Infinity) / 1000
  return {
    name,
    value,
    domain: `${hostOnly ? '' : '.'}${domain}`,
    path: path ?? '/',
    secure,
    httpOnly,
    ...(expires < Infinity && { expires }),
    ...(sameSite && { sameSite }),
  }
}
