import supertest from 'supertest'
import { describe, expect, test } from 'vitest'
import type { RouteRow } from '../../src/http/handler.ts'
import { createApp } from '../../src/server/app.ts'
import { createPageRoutes } from '../../src/server/page-routes.ts'
import { createServiceRoutes } from '../../src/server/service-routes.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createTestParts } from '../support/tenant.ts'

const host = createTestHost(await createTestParts(createMemoryStores()))
const app = createApp(host)
const routes = [...createServiceRoutes(host), ...createPageRoutes(host)].map((row) => ({
  ...row,
  path: row.path.replaceAll(/:\w+/g, 'adult-passport'),
}))

const ask = ({ method, path }: Pick<RouteRow, 'method' | 'path'>, headers: Record<string, string>) =>
  supertest(app)
    [method](path)
    .set({ Host: 'localhost', ...headers })

/** Servers call E2, E4, E5 and the trap, everybody reads discovery and keys, and every site leads to E1 and E3. */
const own = routes.filter(({ endpoint }) => endpoint === undefined || endpoint.number === 'choice')
const isHealth = ({ path }: Pick<RouteRow, 'path'>) => path === '/_sandbox/health'

/** What a browser says of a request that a page of another site made. */
const LOADS = {
  'an image': { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
  'a fetch': { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
  'an iframe': { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
  'a browser without fetch metadata': { Origin: 'https://evil.example' },
} as const
const LINK = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }

describe('A page of another site cannot make a browser send', () => {
  const changing = own.filter(({ method }) => method !== 'get').map((row) => [row.method, row.path, row] as const)
  test.each(changing)('%s %s', async (_method, _path, row) => {
    for (const header of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }, LINK]) {
      const answer = await ask(row, header).type('form').send('token=x')
      expect(answer.status).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  const reading = own.filter((row) => row.method === 'get' && !isHealth(row)).map((row) => [row.path, row] as const)
  test.each(reading)('get %s, unless a link opens a page', async (_path, row) => {
    for (const headers of Object.values(LOADS)) {
      const answer = await ask(row, headers)
      expect([answer.status, answer.text]).toEqual([
        403,
        expect.stringContaining('a page of another site may not call'),
      ])
    }
    const isPage = row.errors === 'page' || row.errors === 'embeddable-page'
    const opened = await ask(row, LINK)
    expect(opened.status === 403).toBe(!isPage)
  })

  test.each(reading.filter(([path]) => path !== '/_sandbox/events'))(
    'get %s, which programs and pages of the sandbox can send',
    async (_path, row) => {
      for (const site of [{}, { 'Sec-Fetch-Site': 'same-origin' }, { 'Sec-Fetch-Site': 'none' }])
        expect((await ask(row, site)).status).not.toBe(403)
    },
  )
})

test('The refusal says what came and what is allowed', async () => {
  const { body } = await ask({ method: 'get', path: '/_sandbox/flows' }, LOADS['an image'])
  expect(body).toMatchObject({
    error: 'invalid_request',
    error_description:
      'Sec-Fetch-Site: cross-site: a page of another site may not call this; open the address itself, or call it by a program',
  })
  const { body: other } = await ask({ method: 'get', path: '/_sandbox/flows' }, { Origin: 'https://evil.example' })
  expect(other.error_description).toMatch(/^Origin: https:\/\/evil\.example: a page of another site/)
})

test('The health of the sandbox is told to every page', async () => {
  for (const headers of [...Object.values(LOADS), LINK])
    expect((await ask({ method: 'get', path: '/_sandbox/health' }, headers)).status).toBe(200)
})

describe('At E1 and E3', () => {
  const paths = ['/v1/oidc/use', '/v1/oidc/create']

  test.each(paths)('%s begins a flow for every site that navigates there, in an iframe too', async (path) => {
    const older = { 'Sec-Fetch-Site': 'cross-site' }
    for (const headers of [LINK, LOADS['an iframe'], older, {}]) {
      const sandbox = await startSandbox()
      await sandbox.request.get(path).query(useRequest()).set(headers)
      expect(await sandbox.flows.list()).toHaveLength(1)
    }
  })

  test.each(paths)(
    '%s begins none for an image or a fetch of another site, which makes no tenant either',
    async (path) => {
      const sandbox = await startSandbox()
      for (const headers of [LOADS['an image'], LOADS['a fetch']]) {
        for (const prefix of ['', '/t/made-by-image']) {
          const { status, text } = await sandbox.request
            .get(prefix + path)
            .query(useRequest())
            .set(headers)
          expect([status, text]).toEqual([
            403,
            expect.stringContaining('begins a flow by a link, a redirect or an iframe'),
          ])
        }
      }
      expect(await sandbox.flows.list()).toEqual([])
      const { body } = await sandbox.request.get('/_sandbox/tenants')
      expect(body.tenants).toHaveLength(1)
    },
  )
})
