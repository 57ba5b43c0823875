import { Cookie, CookieJar } from 'tough-cookie'

/** Where a request comes from, as SameSite sees it (RFC 6265bis section 5.2). */
export type SameSiteContext =
  /** A page of the same site, or the user. */
  | 'strict'
  /** A page of another site, by GET: cookies with SameSite=Strict stay behind. */
  | 'lax'
  /** A page of another site, by POST: those with SameSite=Lax stay behind too. */
  | 'none'

/** The cookies of one browser. */
export interface Cookies {
  /** The value of the header `Cookie`; `undefined` without any. */
  headerFor(url: URL, context: SameSiteContext): string | undefined
  /** Does what the headers `Set-Cookie` of an answer ask for. Returns the names of cookies that they set, not of those that they delete. */
  keep(setCookie: readonly string[], url: URL): readonly string[]
  /** Removes cookies by their names. */
  forget(names: readonly string[]): void
}

/** The names of cookies that headers `Set-Cookie` set, not of those that they delete. */
export const namesSetBy = (setCookie: readonly string[]): readonly string[] =>
  setCookie.flatMap((header) => {
    const cookie = Cookie.parse(header, { loose: true })
    return cookie && cookie.TTL() > 0 ? [cookie.key] : []
  })

/**
 * Cookies belong to a host, not to a port, and `Secure` ones also travel by http to this machine, as in browsers.
 *
 * Two differences: a cookie without SameSite counts as None, because Chrome sends a fresh one with a cross-site POST too ("Lax+POST",
 * for two minutes), and a flow takes seconds. And SameSite=None without Secure, which Chrome refuses, is kept: apps that leave
 * Secure out in development only are judged as they are in production.
 */
export function createCookies(): Cookies {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  return {
    headerFor: (url, context) => jar.getCookieStringSync(url.href, { sameSiteContext: context }) || undefined,
    keep: (setCookie, url) =>
      setCookie.flatMap((header) => {
        const cookie = Cookie.parse(header, { loose: true })
        if (!cookie) return []
        // A navigation may set cookies of every kind, from wherever it comes.
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
        return cookie.TTL() > 0 ? [cookie.key] : []
      }),
    forget(names) {
      for (const { key, domain, path } of jar.serializeSync()?.cookies ?? []) {
        if (typeof key !== 'string' || typeof domain !== 'string' || typeof path !== 'string') continue
        if (names.includes(key)) jar.store.removeCookie(domain, path, key, () => {})
      }
    },
  }
}
