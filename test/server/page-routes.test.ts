import supertest from 'supertest'
import { expect, test } from 'vitest'
import { createApp, createServiceRoutes } from '../../src/server/app.ts'
import type { RouteRow } from '../../src/server/http/handler.ts'
import { createPageRoutes } from '../../src/server/page-routes.ts'
import { createMemoryStores } from '../../src/server/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createTestParts } from '../support/tenant.ts'
import { expectPromises } from './every-answer.ts'

const host = createTestHost(await createTestParts(createMemoryStores()))
const request = supertest(createApp(host))

const routes = [...createServiceRoutes(host), ...(await createPageRoutes(host))].map((row) => ({
  ...row,
  path: row.path.replaceAll(/:\w+/g, 'adult-passport'),
}))

async function ask(
  { method, path }: Pick<RouteRow, 'method' | 'path'>,
  headers: object,
  form?: string,
) {
  const call = request[method](path).set({ Host: 'localhost', ...headers })
  const answer = await (form === undefined ? call : call.type('form').send(form))
  expectPromises(path, answer)
  return answer
}

/**
 * Servers call E2, E4, E5 and the trap, everybody reads discovery and keys, and every site leads to
 * E1 and E3.
 */
const own = routes.filter(({ endpoint }) => endpoint === undefined || endpoint.number === 'choice')
const HEALTH = { path: '/_sandbox/health', method: 'get' } as const

/** The upgrade below the brand word of the other profile is no address. */
const paths = [...new Set(routes.map(({ path }) => path))].filter(
  (path) => path !== '/v1/agekey/upgrade',
)
test.each(paths)(
  'A 405 of %s names HEAD, POST or GET in Allow exactly when the method is served',
  async (path) => {
    const statusOf = async (method: 'get' | 'head' | 'post') =>
      (await request[method](path).set('Host', 'localhost')).status
    const answer = await request.patch(path).set('Host', 'localhost').expect(405)
    const allowed = answer.headers['allow']?.split(', ') ?? []
    expect(allowed.includes('HEAD'), path).toEqual((await statusOf('head')) !== 405)
    expect(allowed.includes('POST'), path).toEqual((await statusOf('post')) !== 405)
    // The answer to a reader of the events never ends.
    if (path !== '/_sandbox/events')
      expect(allowed.includes('GET'), path).toEqual((await statusOf('get')) !== 405)
  },
)

/** What a browser says of a request that a page of another site made. */
const LOADS = {
  'an image': {
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Mode': 'no-cors',
    'Sec-Fetch-Dest': 'image',
  },
  'a fetch': { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
  'an iframe': {
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'iframe',
  },
  'a browser without fetch metadata': { Origin: 'https://evil.example' },
} as const
const REFUSAL =
  'a page of another site may not call this; open the address itself, or call it by a program'
const LINK = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}

// The answer to a reader of the events never ends.
const ENDING = routes.filter(({ path }) => path !== '/_sandbox/events')
test.each(ENDING)(
  'Every answer to $method $path, to a browser too, keeps what all answers promise',
  async (row) => {
    const page = { Accept: 'text/html' }
    const answers = [await ask(row, page)]
    if (row.method !== 'get') answers.push(await ask(row, {}), await ask(row, page, 'token=x'))
    if (row.path.startsWith('/v1'))
      for (const { headers } of answers)
        expect(headers['cache-control']).toMatch(/no-store|no-cache/)
  },
)

const changing = own.filter(({ method }) => method !== 'get')
test.each(changing)(
  'A page of another site cannot make a browser send $method $path',
  async (row) => {
    for (const header of [
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      LINK,
    ]) {
      const { status, headers } = await ask(row, header, 'token=x')
      expect(status).toBe(403)
      expect(headers['set-cookie']).toBeUndefined()
    }
  },
)

const reading = own.filter(({ method, path }) => method === 'get' && path !== HEALTH.path)
test.each(reading)(
  'A page of another site cannot make a browser get $path, but link to a page',
  async (row) => {
    for (const headers of Object.values(LOADS)) {
      const { status, text } = await ask(row, headers)
      const [[name, value] = []] = Object.entries(headers)
      expect(status).toBe(403)
      expect(text).toContain(`${name}: ${value}: ${REFUSAL}`)
    }
    const isPage = row.errors === 'page' || row.errors === 'embeddable-page'
    expect((await ask(row, LINK)).status === 403).toBe(!isPage)
    if (row.path === '/_sandbox/events') return
    for (const site of [{}, { 'Sec-Fetch-Site': 'same-origin' }])
      expect((await ask(row, site)).status).not.toBe(403)
  },
)

test('The health of the sandbox is told to every page', async () => {
  for (const headers of [...Object.values(LOADS), LINK])
    expect((await ask(HEALTH, headers)).status).toBe(200)
})

test.each(['/v1/oidc/use', '/v1/oidc/create'])(
  'At %s a flow begins for each site that navigates there, none for an image or a fetch',
  async (path) => {
    const { request, flows } = await startSandbox()
    for (const headers of [LOADS['an image'], LOADS['a fetch']])
      for (const prefix of ['', '/t/made-by-image']) {
        const answer = await request.get(`${prefix}${path}`).query(useRequest()).set(headers)
        const message = 'begins a flow by a link, a redirect or an iframe'
        expect(answer.status).toBe(403)
        expect(answer.text).toContain(message)
      }
    expect(await flows.list()).toEqual([])
    expect((await request.get('/_sandbox/tenants')).body.tenants).toHaveLength(1)
    const navigations = [LINK, LOADS['an iframe'], { 'Sec-Fetch-Site': 'cross-site' }, {}]
    for (const headers of navigations) await request.get(path).query(useRequest()).set(headers)
    expect(await flows.list()).toHaveLength(navigations.length)
  },
)
