import supertest from 'supertest'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/server/app.ts'
import { createPageRoutes } from '../../src/server/page-routes.ts'
import { createServiceRoutes } from '../../src/server/service-routes.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import type { Answer } from '../support/http-client.ts'
import { createTestParts } from '../support/tenant.ts'
import { visitEveryPage } from './every-page.ts'

const host = createTestHost(await createTestParts(createMemoryStores()))
const app = createApp(host)
const addresses = [...createServiceRoutes(host), ...createPageRoutes(host)]
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+/g, 'adult-passport') }))
  // Its answer never ends.
  .filter(({ path }) => path !== '/_sandbox/events')

/** E1, E3 and their forms, of a tenant too: the specification lets every site embed them. */
const isHosted = (path: string) =>
  /^(?:\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)(?:$|\/(?:choice|language|clock|continue|endings)$)/.test(path)
const isPage = ({ headers }: Answer) => headers['content-type']?.startsWith('text/html') === true
const framing = ({ headers }: Answer) => /frame-ancestors [^;]*/.exec(headers['content-security-policy'] ?? '')?.[0]
const framingOf = (path: string) => (isHosted(path) ? undefined : "frame-ancestors 'self'")

describe('Only hosted pages can be framed by another site, whatever is answered to', () => {
  test.each(addresses)('$method $path', async ({ method, path }) => {
    const ask = () => supertest(app)[method](path).set({ Host: 'localhost', Accept: 'text/html' })
    const forms = method === 'get' ? [] : [ask().type('form').send({ token: 'x' })]
    for (const answer of await Promise.all([ask(), ...forms])) {
      if (isPage(answer)) expect(framing(answer)).toBe(framingOf(path))
    }
  })

  test('an address that is not served, by a page', async () => {
    const answer = await supertest(app).get('/nothing').set({ Host: 'localhost', Accept: 'text/html' })
    expect([isPage(answer), framing(answer)]).toEqual([true, "frame-ancestors 'self'"])
  })
})

test('Of all pages that a visit of the whole sandbox finds, those of E1 and E3 alone can be framed by another site', async () => {
  const visits = (await visitEveryPage('plain')).filter(({ answer }) => isPage(answer))
  const pages = visits.map(({ name, answer }) => ({ path: name.split(' ')[1] ?? '', framing: framing(answer) }))
  const hosted = pages.filter(({ path }) => isHosted(path))
  expect([hosted.length, pages.length - hosted.length]).toEqual([
    expect.toSatisfy((n) => n > 15),
    expect.toSatisfy((n) => n > 30),
  ])
  expect(pages.filter((page) => page.framing !== framingOf(page.path))).toEqual([])
})
