import supertest from 'supertest'
import { expect, test } from 'vitest'
import { createApp } from '../../src/server/app.ts'
import { createMemoryStores, type Stores } from '../../src/store/stores.ts'
import { press } from '../support/forms.ts'
import { createTestHost } from '../support/host.ts'
import { useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'

/** Stores in memory, where a waiting request is found only when two callers look for it at once. */
function createMeetingStores(): Stores {
  const stores = createMemoryStores()
  const callers: (() => void)[] = []
  const meet = () =>
    new Promise<void>((resolve) => {
      callers.push(resolve)
      if (callers.length >= 2) for (const proceed of callers) proceed()
    })
  return {
    ...stores,
    createRecords(tenant, clock) {
      const records = stores.createRecords(tenant, clock)
      const get: typeof records.store.get = async (collection, id) => {
        if (collection === 'transaction') await meet()
        return records.store.get(collection, id)
      }
      return { ...records, store: { ...records.store, get } }
    },
  }
}

test('Of two choices that arrive at once one decides, and the other is refused with 410', async () => {
  const app = createApp(createTestHost(await createTestParts(createMeetingStores())))
  const page = await supertest(app).get('/v1/oidc/use').query(useRequest())
  const { action, fields } = press(page.text, 'use')
  const choose = () => supertest(app).post(action).send(String(fields))
  const answers = await Promise.all([choose(), choose()])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 410])
})
