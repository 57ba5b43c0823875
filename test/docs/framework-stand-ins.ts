import type { Plugin } from 'esbuild'

/**
 * The little of Next.js that the page uses, written on what every runtime has: a response that sets cookies, and a jar that
 * reads those of the request, which `requestCookies` of the global scope holds.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'next/server': `
    export class NextResponse extends Response {
      cookies = {
        set: (name, value, { httpOnly, sameSite, maxAge }) => this.headers.append('Set-Cookie',
          name + '=' + encodeURIComponent(value) + '; Path=/; Max-Age=' + maxAge + '; SameSite=' + sameSite + (httpOnly ? '; HttpOnly' : '')),
      }
      static redirect(url) { return new NextResponse(null, { status: 307, headers: { Location: String(url) } }) }
    }`,
  'next/headers': `
    export const cookies = async () => ({
      get: (name) => {
        const value = globalThis.requestCookies.get(name)
        return value === undefined ? undefined : { name, value }
      },
      delete: (name) => void globalThis.requestCookies.delete(name),
    })`,
}

/** Resolves `next/server` and `next/headers`, which are not installed, to stand-ins. */
export const frameworkStandIns: Plugin = {
  name: 'framework-stand-ins',
  setup(build) {
    build.onResolve({ filter: /^next\// }, ({ path }) => ({ path, namespace: 'stand-in' }))
    build.onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({ contents: STAND_INS[path] ?? '' }))
  },
}
