import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { build, type Plugin } from 'rolldown'
import * as z from 'zod'
import type { StartApp } from '../describe-app.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'

const blocks = codeBlocks(readPage('integration-nextjs.md'), 'ts')

type Handler = (request: Request) => Promise<Response>
const method = z.custom<Handler>((value) => typeof value === 'function').optional()
const handlersOfFile = z.object({ GET: method, POST: method })

/** The cookies of a request, and those to set with its answer. */
interface CookieJar {
  readonly sent: ReadonlyMap<string, string>
  readonly toSet: string[]
}

/** The jar of the request that is being answered. */
const cookieJars = new AsyncLocalStorage<CookieJar>()

/** What of Next.js the page uses, which is not installed: written on what every runtime has, by `cookieJars` of the module. */
const STAND_INS: Readonly<Record<string, string>> = {
  'next/server': `
    export class NextResponse extends Response {
      static redirect(url, status = 307) { return new NextResponse(null, { status, headers: { Location: String(url) } }) }
    }`,
  'next/headers': `
    let cookieJars
    export const keepIn = (jars) => { cookieJars = jars }
    export const cookies = async () => ({
      get(name) {
        const value = cookieJars.getStore().sent.get(name)
        return value === undefined ? undefined : { name, value }
      },
      set(name, value, { httpOnly, sameSite, secure, maxAge }) {
        cookieJars.getStore().toSet.push(name + '=' + encodeURIComponent(value) + '; Path=/; Max-Age=' + maxAge +
          '; SameSite=' + sameSite + (httpOnly ? '; HttpOnly' : '') + (secure ? '; Secure' : ''))
      },
      delete(name) { cookieJars.getStore().toSet.push(name + '=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT') },
    })`,
}

/** Route handlers of the page. */
export const ROUTES = ['verify', 'callback', 'created'] as const

/** All of them in one module, with the way to give it the jars. */
const ENTRY = [
  "export { keepIn } from 'next/headers'",
  ...ROUTES.map((route) => `export * as ${route} from '@/app/${route}/route'`),
].join('\n')

/** Resolves the files that the page shows, and stand-ins. `@/lib/age` is how an app of Next.js imports `lib/age.ts`. */
const filesOfThePage: Plugin = {
  name: 'files-of-the-page',
  resolveId: (id) =>
    id === 'entry' || id in STAND_INS
      ? id
      : id.startsWith('@/')
        ? join(import.meta.dirname, `${id.slice(2)}.ts`)
        : null,
  load: (id) =>
    id === 'entry'
      ? ENTRY
      : (STAND_INS[id] ?? (existsSync(id) ? null : blockWith(blocks, `// ${relative(import.meta.dirname, id)}`))),
}

const SETTINGS = ['AGE_BASE_URL', 'AGE_SERVER_URL', 'APP_URL'] as const

/** The app of the page as one module. Its settings are texts in it. */
const bundled = build({
  input: 'entry',
  write: false,
  platform: 'node',
  transform: { define: Object.fromEntries(SETTINGS.map((name) => [`process.env.${name}`, `"{${name}}"`])) },
  // The app logs for itself.
  output: { minify: { compress: { dropConsole: true }, mangle: false, codegen: false } },
  plugins: [filesOfThePage],
})

const loadedSchema = z.object({
  ...Object.fromEntries(ROUTES.map((route) => [route, handlersOfFile])),
  keepIn: z.custom<(jars: typeof cookieJars) => void>((value) => typeof value === 'function'),
})
let loaded = 0

/** Serves the route handlers of the page. */
export const startNextjsApp: StartApp = async ({ baseUrl, url: serverUrl }) => {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', appUrl)
    const handlers = routes.get(url.pathname)
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const handle = handlers?.[method]
    if (!handle) return void response.writeHead(handlers ? 405 : 404).end()
    const jar: CookieJar = { sent: readCookies(request.headers.cookie), toSet: [] }
    const init = method === 'POST' ? { method, body: await text(request) } : { method }
    const answer = await cookieJars.run(jar, () => handle(new Request(url, init)))
    const headers = { ...Object.fromEntries(answer.headers), 'Set-Cookie': jar.toSet }
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const appUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const settings = { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: serverUrl, APP_URL: appUrl }
  const { output } = await bundled
  const code = SETTINGS.reduce((text, name) => text.replaceAll(`{${name}}`, settings[name]), output[0].code)
  // The fragment makes it another module each time, with keys that it has still to read.
  const address = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}#${++loaded}`
  const { keepIn, ...handlers } = loadedSchema.parse(await import(/* @vite-ignore */ address))
  keepIn(cookieJars)
  const routes = new Map(
    Object.entries(handlers).map(([route, methods]) => [`/${route}`, handlersOfFile.parse(methods)]),
  )
  return { url: appUrl, stop: () => void server.close() }
}

const readCookies = (header = '') =>
  new Map(
    [...header.matchAll(/([^=; ]+)=([^;]*)/g)].map(([, name = '', value = '']) => [name, decodeURIComponent(value)]),
  )
