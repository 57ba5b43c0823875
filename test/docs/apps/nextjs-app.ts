import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'rolldown'
import * as z from 'zod'
import type { RunningApp } from '../../support/express-example.ts'
import type { StartApp } from '../describe-app.ts'
import { type CookieJar, frameworkStandIns } from '../framework-stand-ins.ts'
import { blockWith, codeBlocks, readPage } from '../page.ts'

type Handler = (request: Request) => Promise<Response>

const method = z.custom<Handler>((value) => typeof value === 'function').optional()
const handlersOfFile = z.object({ GET: method, POST: method })
type FileHandlers = z.infer<typeof handlersOfFile>
const blocks = codeBlocks(readPage('integration-nextjs.md'), 'ts')

/** Route handlers of the page. */
export const ROUTES = ['verify', 'callback', 'created'] as const

/** Resolves the files that the page shows; `@/lib/age` is how an app of Next.js imports `lib/age.ts`. */
const filesOfThePage: Plugin = {
  name: 'files-of-the-page',
  resolveId: (id) => (id.startsWith('@/') ? join(import.meta.dirname, `${id.slice(2)}.ts`) : null),
  load: (id) => (existsSync(id) ? null : blockWith(blocks, `// ${relative(import.meta.dirname, id)}`)),
}

/** Loads the route handlers of a file that the page shows, with an environment of its own. */
async function loadHandlers(file: string, settings: Readonly<Record<string, string>>): Promise<FileHandlers> {
  const { output } = await build({
    input: `@/${file.replace(/\.ts$/, '')}`,
    write: false,
    platform: 'node',
    transform: {
      define: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
      ),
    },
    // The app logs for itself.
    output: { minify: { compress: { dropConsole: true }, mangle: false, codegen: false } },
    plugins: [frameworkStandIns, filesOfThePage],
  })
  const source = Buffer.from(output[0].code).toString('base64')
  // The fragment makes it another module each time, with keys that it has still to read.
  const address = `data:text/javascript;base64,${source}#${++loaded}`
  return handlersOfFile.parse(await import(/* @vite-ignore */ address))
}

let loaded = 0

/** The jar of the request that is being answered. */
const cookieJars = new AsyncLocalStorage<CookieJar>()

/** Serves the route handlers of the page for Next.js. */
export const startNextjsApp: StartApp = async ({ baseUrl, url: serverUrl }): Promise<RunningApp> => {
  Object.assign(globalThis, { cookieJars })
  const routes = new Map<string, FileHandlers>()
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', appUrl)
    const handlers = routes.get(url.pathname)
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const handle = handlers?.[method]
    if (!handle) return void response.writeHead(handlers ? 405 : 404).end()
    const jar: CookieJar = { sent: readCookies(request.headers.cookie), toSet: [] }
    const init = method === 'POST' ? { method, body: await readText(request) } : { method }
    const answer = await cookieJars.run(jar, () => handle(new Request(url, init)))
    const headers = { ...Object.fromEntries(answer.headers), 'Set-Cookie': jar.toSet }
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const appUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  for (const route of ROUTES) {
    const settings = { AGE_BASE_URL: baseUrl, AGE_SERVER_URL: serverUrl, APP_URL: appUrl }
    routes.set(`/${route}`, await loadHandlers(`app/${route}/route.ts`, settings))
  }
  return { url: appUrl, stop: () => void server.close() }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const readCookies = (header = '') =>
  new Map(
    [...header.matchAll(/([^=; ]+)=([^;]*)/g)].map(([, name = '', value = '']) => [name, decodeURIComponent(value)]),
  )
