import type { Cookie as PlaywrightCookie } from 'playwright-core'
import { Cookie, CookieJar } from 'tough-cookie'

/** A cookie as Chromium has it: `domain` with a dot before it goes to names below it too, `expires` is in seconds since 1970. */
type ChromiumCookie = Omit<PlaywrightCookie, 'expires' | 'sameSite' | 'partitionKey'> &
  Partial<Pick<PlaywrightCookie, 'expires' | 'sameSite'>>

/** The cookies of one browser. */
export type Cookies = ReturnType<typeof createCookies>

/**
 * Cookies belong to a host, not to a port, and `Secure` ones also travel by http to this machine, as in browsers.
 *
 * Two differences: a cookie without SameSite counts as None, because Chrome sends a fresh one with a cross-site POST too ("Lax+POST",
 * for two minutes), and a flow takes seconds. And SameSite=None without Secure, which Chrome refuses, is kept: apps that leave
 * Secure out in development only are judged as they are in production.
 */
export function createCookies() {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  const all = (): readonly ChromiumCookie[] =>
    (jar.serializeSync()?.cookies ?? []).flatMap((one) => asChromium(Cookie.fromJSON(one)))

  /** Replaces all cookies by these. Returns the names of the new ones. */
  function replace(cookies: readonly ChromiumCookie[]): readonly string[] {
    const before = new Set(all().map(identityOf))
    jar.removeAllCookiesSync()
    for (const { name, domain, sameSite, expires = -1, ...cookie } of cookies) {
      const scope = { key: name, domain: domain.replace(/^\./, ''), hostOnly: !domain.startsWith('.') }
      const end = expires < 0 ? {} : { expires: new Date(expires * 1000) }
      const site = sameSite?.toLowerCase()
      jar.store.putCookie(new Cookie({ ...cookie, ...scope, ...end, ...(site && { sameSite: site }) }), () => {})
    }
    return cookies.filter((one) => !before.has(identityOf(one))).map(({ name }) => name)
  }
  return {
    all,
    replace,
    /** The value of the header `Cookie`, by where the request comes from (RFC 6265bis section 5.2); `undefined` without any. */
    headerFor: (url: URL, sameSiteContext: 'strict' | 'lax' | 'none') =>
      jar.getCookieStringSync(url.href, { sameSiteContext }) || undefined,
    /** Does what the headers `Set-Cookie` of an answer ask for. Returns the names of cookies that they set, not of those that they delete. */
    keep: (setCookie: readonly string[], url: URL): readonly string[] =>
      setCookie.flatMap((header) => {
        const cookie = Cookie.parse(header, { loose: true })
        if (!cookie) return []
        // A navigation may set cookies of every kind, from wherever it comes.
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
        return cookie.TTL() > 0 ? [cookie.key] : []
      }),
    forget: (names: readonly string[]): void => void replace(all().filter(({ name }) => !names.includes(name))),
  }
}

const identityOf = ({ name, domain, path, value }: ChromiumCookie) => JSON.stringify([name, domain, path, value])

function asChromium(cookie: Cookie | undefined): ChromiumCookie | [] {
  if (!cookie) return []
  const { key: name, value, domain, path, secure, httpOnly, hostOnly } = cookie
  const sites = ['Strict', 'Lax', ...(secure ? (['None'] as const) : [])] as const
  const sameSite = sites.find((site) => site.toLowerCase() === cookie.sameSite)
  const expires = (cookie.expiryTime() ?? Infinity) / 1000
  const attributes = { domain: `${hostOnly ? '' : '.'}${domain}`, path: path ?? '/', secure, httpOnly }
  return { name, value, ...attributes, ...(expires < Infinity && { expires }), ...(sameSite && { sameSite }) }
}
