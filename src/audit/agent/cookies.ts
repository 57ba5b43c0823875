import type { Cookie as PlaywrightCookie } from 'playwright-core'
import { Cookie, CookieJar } from 'tough-cookie'

/**
 * A cookie in the form of Chromium: `domain` with a leading dot includes subdomains, `expires` is
 * in seconds since 1970.
 */
type ChromiumCookie = Omit<PlaywrightCookie, 'expires' | 'sameSite' | 'partitionKey'> &
  Partial<Pick<PlaywrightCookie, 'expires' | 'sameSite'>>

/** The cookies of a browser. */
export interface Cookies {
  all(): readonly ChromiumCookie[]
  /** Replaces all cookies. @returns the names of cookies that are new or have another value */
  replace(cookies: readonly ChromiumCookie[]): readonly string[]
  /**
   * The value of the header `Cookie` for a request (RFC 6265bis section 5.2); `undefined` without
   * cookies.
   * @param sameSiteContext which site the request comes from
   */
  headerFor(url: URL, sameSiteContext: 'strict' | 'lax' | 'none'): string | undefined
  /**
   * Sets and deletes cookies by the headers `Set-Cookie` of a response.
   * @returns the names of the set cookies
   */
  keep(setCookie: readonly string[], url: URL): readonly string[]
  /** Removes cookies by name. */
  forget(names: readonly string[]): void
}

/**
 * As in browsers, cookies belong to a host, not to a port, and `Secure` cookies also travel by http
 * to this machine. Two rules differ from Chrome:
 * - A cookie without SameSite counts as None. Chrome sends a cookie of the last two minutes with a
 *   cross-site POST too ("Lax+POST"), and a flow takes seconds.
 * - SameSite=None without Secure is kept, so that an app which omits Secure only in development is
 *   judged as in production.
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
        // A navigation may set cookies with any SameSite, from any site.
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
