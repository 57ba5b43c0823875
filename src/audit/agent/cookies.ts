import { Cookie, CookieJar } from 'tough-cookie'

/** Where a request comes from, as SameSite sees it (RFC 6265bis section 5.2). */
export type SameSiteContext =
  /** A page of the same site, or the user. */
  | 'strict'
  /** A page of another site, by GET: cookies with SameSite=Strict stay behind. */
  | 'lax'
  /** A page of another site, by POST: those with SameSite=Lax stay behind too. */
  | 'none'

/** A cookie as the DevTools protocol of Chromium writes it. */
export interface ChromiumCookie {
  readonly name: string
  readonly value: string
  /** With a dot before it when the cookie goes to names below it too. */
  readonly domain: string
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
  /** In seconds since 1970; negative or absent when the cookie ends with the browser. */
  readonly expires?: number
  readonly sameSite?: 'Strict' | 'Lax' | 'None'
}

/** The cookies of one browser. */
export interface Cookies {
  /** The value of the header `Cookie`; `undefined` without any. */
  headerFor(url: URL, context: SameSiteContext): string | undefined
  /** Does what the headers `Set-Cookie` of an answer ask for. Returns the names of cookies that they set, not of those that they delete. */
  keep(setCookie: readonly string[], url: URL): readonly string[]
  /** Removes cookies by their names. */
  forget(names: readonly string[]): void
  all(): readonly ChromiumCookie[]
  /** Leaves these alone. */
  replace(cookies: readonly ChromiumCookie[]): void
}

/**
 * Cookies belong to a host, not to a port, and `Secure` ones also travel by http to this machine, as in browsers.
 *
 * Two differences: a cookie without SameSite counts as None, because Chrome sends a fresh one with a cross-site POST too ("Lax+POST",
 * for two minutes), and a flow takes seconds. And SameSite=None without Secure, which Chrome refuses, is kept: apps that leave
 * Secure out in development only are judged as they are in production.
 */
export function createCookies(): Cookies {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  const kept = (): readonly Cookie[] => {
    let found: readonly Cookie[] = []
    jar.store.getAllCookies((_error, cookies) => {
      found = cookies ?? []
    })
    return found
  }
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
      for (const { key, domain, path } of kept()) {
        if (names.includes(key)) jar.store.removeCookie(domain ?? '', path ?? '/', key, () => {})
      }
    },
    all: () => kept().map(asChromium),
    replace(cookies) {
      jar.removeAllCookiesSync()
      for (const { name, domain, sameSite, expires = -1, ...cookie } of cookies) {
        const scope = { key: name, domain: domain.replace(/^\./, ''), hostOnly: !domain.startsWith('.') }
        const end = expires < 0 ? {} : { expires: new Date(expires * 1000) }
        const site = sameSite?.toLowerCase()
        jar.store.putCookie(new Cookie({ ...cookie, ...scope, ...end, ...(site && { sameSite: site }) }), () => {})
      }
    },
  }
}

function asChromium(cookie: Cookie): ChromiumCookie {
  const { key, value, domain, path, secure, httpOnly, hostOnly } = cookie
  const sameSite = (['Strict', 'Lax', ...(secure ? ['None' as const] : [])] as const).find(
    (one) => one.toLowerCase() === cookie.sameSite,
  )
  const end = cookie.expiryTime()
  return {
    name: key,
    value,
    domain: `${hostOnly ? '' : '.'}${domain}`,
    path: path ?? '/',
    secure,
    httpOnly,
    ...(end !== undefined && Number.isFinite(end) && { expires: end / 1000 }),
    ...(sameSite && { sameSite }),
  }
}
