import type { Plugin } from 'rolldown'

/** The cookies of a request, and those to set with its answer. */
export interface CookieJar {
  readonly sent: ReadonlyMap<string, string>
  readonly toSet: string[]
}

/**
 * The little of Next.js that the page uses, written on what every runtime has: a response, and the jar of the request that
 * is being answered, by `cookieJars` of the global scope.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'next/server': `
    export class NextResponse extends Response {
      static redirect(url, status = 307) { return new NextResponse(null, { status, headers: { Location: String(url) } }) }
    }`,
  'next/headers': `
    export const cookies = async () => ({
      get(name) {
        const value = globalThis.cookieJars.getStore().sent.get(name)
        return value === undefined ? undefined : { name, value }
      },
      set(name, value, { httpOnly, sameSite, secure, maxAge }) {
        globalThis.cookieJars.getStore().toSet.push(name + '=' + encodeURIComponent(value) + '; Path=/; Max-Age=' + maxAge +
          '; SameSite=' + sameSite + (httpOnly ? '; HttpOnly' : '') + (secure ? '; Secure' : ''))
      },
      delete(name) { globalThis.cookieJars.getStore().toSet.push(name + '=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT') },
    })`,
}

/** Resolves `next/server` and `next/headers`, which are not installed, to stand-ins. */
export const frameworkStandIns: Plugin = {
  name: 'framework-stand-ins',
  resolveId: (id) => (id in STAND_INS ? id : null),
  load: (id) => STAND_INS[id] ?? null,
}
