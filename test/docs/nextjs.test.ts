import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parse as parseCookie } from 'cookie'
import { build, type Plugin } from 'rolldown'
import { describeApp, type StartApp } from './describe-app.ts'
import { ROOT, readRoot } from './page.ts'

type Handler = (request: Request) => Promise<Response>

/** The cookies of the request that is being answered, and those to set with its answer. */
const cookieJars = new AsyncLocalStorage<{ readonly sent: object; readonly toSet: string[] }>()

/** Route handlers of the example. */
const ROUTES = ['verify', 'callback', 'created']

/**
 * What of Next.js the example uses, which is not installed: written on what every runtime has, by
 * `cookieJars` of the module.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  entry: ROUTES.map((route) => `export * as ${route} from '@/app/${route}/route'`)
    .concat("export { keepIn } from 'next/headers'")
    .join('\n'),
  'next/headers': `
    let cookieJars
    export const keepIn = (jars) => { cookieJars = jars }
    export const cookies = async () => ({
      get(name) {
        const value = cookieJars.getStore().sent[name]
        return value === undefined ? undefined : { name, value }
      },
      set(name, value, { httpOnly, sameSite, secure, maxAge }) {
        cookieJars.getStore().toSet.push(name + '=' + encodeURIComponent(value) + '; Path=/; Max-Age=' + maxAge +
          '; SameSite=' + sameSite + (httpOnly ? '; HttpOnly' : '') + (secure ? '; Secure' : ''))
      },
      delete(name) { cookieJars.getStore().toSet.push(name + '=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT') },
    })`,
}

/**
 * Resolves the files of the example, and stand-ins. `@/lib/age` is how an app of Next.js imports
 * `lib/age.ts`.
 */
const filesOfTheExample: Plugin = {
  name: 'files-of-the-example',
  resolveId: (id) =>
    (id in STAND_INS && id) || (id.startsWith('@/') ? `${ROOT}${id.slice(2)}.ts` : null),
  load: (id) =>
    STAND_INS[id] ??
    (id.startsWith(ROOT) && !id.includes('node_modules')
      ? readRoot(`examples/nextjs/${id.replace(ROOT, '')}`)
      : null),
}

const SETTINGS = ['AGE_BASE_URL', 'AGE_SERVER_URL', 'APP_URL'] as const

/** The app of the example as one module. Its settings are texts in it. */
const bundled = build({
  input: 'entry',
  write: false,
  platform: 'node',
  transform: {
    define: Object.fromEntries(SETTINGS.map((name) => [`process.env.${name}`, `"{${name}}"`])),
  },
  // The app logs for itself.
  output: { minify: { compress: { dropConsole: true }, mangle: false, codegen: false } },
  plugins: [filesOfTheExample],
})

let loaded = 0

/** Serves the route handlers of the example. */
const startNextjsApp: StartApp = async ({ baseUrl, url: serverUrl }) => {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', appUrl)
    const handlers = routes[url.pathname.slice(1)]
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const handle = handlers?.[method]
    if (!handle) return void response.writeHead(handlers ? 405 : 404).end()
    const jar = { sent: parseCookie(request.headers.cookie ?? ''), toSet: [] }
    const init = method === 'POST' ? { method, body: await text(request) } : { method }
    const answer = await cookieJars.run(jar, () => handle(new Request(url, init)))
    const headers = { ...Object.fromEntries(answer.headers), 'Set-Cookie': jar.toSet }
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const appUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const settings = { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: serverUrl, APP_URL: appUrl }
  const { output } = await bundled
  const code = SETTINGS.reduce(
    (text, name) => text.replaceAll(`{${name}}`, settings[name]),
    output[0].code,
  )
  // The fragment makes it another module each time, with keys that it has still to read.
  const address = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}#${++loaded}`
  const { keepIn, ...handlers } = await import(/* @vite-ignore */ address)
  keepIn(cookieJars)
  const routes: Readonly<Partial<Record<string, Partial<Record<string, Handler>>>>> = handlers
  return { url: appUrl, stop: () => void server.close() }
}

describeApp('The example for Next.js', startNextjsApp)
