import supertest from 'supertest'
import { describe, expect, test } from 'vitest'
import type { RouteRow } from '../../src/http/handler.ts'
import { createApp } from '../../src/server/app.ts'
import { createPageRoutes } from '../../src/server/page-routes.ts'
import { createServiceRoutes } from '../../src/server/service-routes.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { createTestParts } from '../support/tenant.ts'

const host = createTestHost(await createTestParts(createMemoryStores()))
const app = createApp(host)
const routes: readonly RouteRow[] = [...createServiceRoutes(host), ...createPageRoutes(host)]

/** A browser sends all of these; servers call E2, E4, E5 and the trap. */
const changing = routes.filter(({ method, endpoint }) => method !== 'get' && endpoint?.caller !== 'server')
const named = changing.map(({ method, path }): [RouteRow['method'], string] => [
  method,
  path.replaceAll(/:\w+/g, 'adult-passport'),
])

describe('A page of another site cannot make a browser send', () => {
  test.each(named)('%s %s', async (method, path) => {
    for (const header of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await supertest(app)
        [method](path)
        .set({ Host: 'localhost', ...header })
        .type('form')
        .send('token=x')
      expect(answer.status).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })
})
