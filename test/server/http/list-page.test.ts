import { expect, test } from 'vitest'
import { MAX_PAGE_BYTES, readPage } from '../../../src/server/http/list-page.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()

type Query = Readonly<Record<string, string | number>>
type Page = Readonly<{ next?: string; [list: string]: unknown }>
type Item = Readonly<{ name?: string; id?: string }>

/** One page of a list: what its items are called, and where the next one begins. */
async function pageOf(list: string, query: Query = {}) {
  const { text, body } = await sandbox.request.get(`/_sandbox/${list}`).query(query).expect(200)
  const { next, [list]: items } = body as Page
  const names = (items as Item[]).map(({ name, id }) => (list === 'scenarios' ? id : (name ?? id)))
  return { names, next, size: text.length }
}

async function pagesOf(list: string, query: Query) {
  const pages = [await pageOf(list, query)]
  for (;;) {
    const { next } = pages.at(-1) ?? {}
    if (next === undefined) return pages
    pages.push(await pageOf(list, { ...query, [list === 'flows' ? 'before' : 'after']: next }))
  }
}

async function fill(): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16' })
    await sandbox.next({ outcome: 'access_denied', match: { state: `never ${n}` } })
    await sandbox.scenarios.arm({ name: `Scenario ${n}`, steps: [{ await: 'par' }] })
    await sandbox.tenant(`tenant-${4 - n}`).clock.state()
  }
}

const LISTS = ['personas', 'expectations', 'scenarios', 'tenants', 'flows']
test.each(LISTS)(
  'GET %s gives in pages of two, which say where they go on, what it gives at once',
  async (list) => {
    await fill()
    const all = await pageOf(list)
    expect(all.names.length).toBeGreaterThan(4)
    expect(all.next).toBeUndefined()
    const pages = await pagesOf(list, { limit: 2 })
    expect(pages.flatMap(({ names }) => names)).toEqual(all.names)
    for (const { names, next } of pages.slice(0, -1)) {
      expect(names).toHaveLength(2)
      expect(next).toEqual(names.at(-1))
    }
    expect(await pageOf(list, { limit: all.names.length })).toMatchObject({
      names: all.names,
      next: undefined,
    })
    expect((await pageOf(list, { limit: 2_000 })).names).toEqual(all.names)
    for (const limit of [0, 2_001, 'all'])
      await sandbox.request.get(`/_sandbox/${list}?limit=${limit}`).expect(400)
    if (list === 'tenants')
      expect(all.names).toEqual(['default', ...[0, 1, 2, 3, 4].map((n) => `tenant-${n}`)])
    if (list === 'flows') return
    const { body } = await sandbox.request.get(`/_sandbox/${list}?after=gone`).expect(400)
    const remedy = 'give the next of the page before, or leave it out to read from the beginning'
    expect(body.error_description).toBe(
      `after: the list does not hold "gone" (any more); ${remedy}`,
    )
  },
)

test('GET expectations gives two thousand at most', async () => {
  for (let n = 0; n < 2_001; n++) await sandbox.next({ outcome: 'access_denied' })
  const { names, next } = await pageOf('expectations')
  expect(names).toHaveLength(2_000)
  expect(next).toEqual(names.at(-1))
})

test('expectations.list() gives more than two thousand', async () => {
  for (let n = 0; n < 2_001; n++) await sandbox.next({ outcome: 'access_denied' })
  expect(await sandbox.expectations.list()).toHaveLength(2_001)
})

test('GET flows with since goes on by since, in the order in which they ended', async () => {
  await fill()
  const [first = '', second, third, fourth = '', fifth] = (await pageOf('flows')).names.toReversed()
  expect(await pageOf('flows', { since: first, limit: 2 })).toMatchObject({
    names: [second, third],
    next: third,
  })
  expect(await pageOf('flows', { since: fourth, limit: 2 })).toMatchObject({
    names: [fifth],
    next: undefined,
  })
})

const SIGNAL = {
  method: 'id_doc_scan',
  verified_at: '2026-01-01',
  provenance: '/veratad/roc',
} as const
const AGE_KEY = { signals: Array(50).fill({ ...SIGNAL, age: { years: 20 } }) }
const counts = (length: number) => Array.from({ length }, (_, n) => n)

/**
 * Makes so much of a list that a mebibyte does not hold it.
 * @returns what the library reads of it
 */
const FILLS: Readonly<Record<string, () => Promise<readonly (readonly unknown[])[]>>> = {
  async flows() {
    const state = 's'.repeat(3_000)
    for (const n of counts(200))
      await createRelyingParty(sandbox).use({ state: state + n, sandbox_persona: 'teen-16' })
    return [await sandbox.flows.list({ limit: 2_000 }), counts(200)]
  },
  async personas() {
    const persona = (n: number) => ({
      name: `own-${n}`,
      title: 'T',
      purpose: 'P',
      age_key: AGE_KEY,
    })
    for (const part of counts(3))
      await sandbox.personas.putAll(counts(100).map((n) => persona(100 * part + n)))
    return [
      (await sandbox.personas.list()).filter(({ name }) => name.startsWith('own-')),
      counts(300),
    ]
  },
}

test.each(Object.entries(FILLS))(
  'A page of %s never passes a mebibyte; the library reads on',
  async (list, make) => {
    const [read, made] = await make()
    expect(read).toHaveLength(made?.length ?? 0)
    const pages = await pagesOf(list, { limit: 2_000 })
    expect(pages.length).toBeGreaterThan(1)
    // Beyond a page there may be the names of its members, and one item that is too long for any
    // page.
    for (const { size } of pages) expect(size).toBeLessThan(1024 * 1024 + 1_000)
    expect(pages.flatMap(({ names }) => names).length).toBeGreaterThanOrEqual(made?.length ?? 0)
    if (list === 'flows') expect(await sandbox.flows.list({ limit: 150 })).toHaveLength(150)
  },
)

test('An item that is larger than a page may be is a page of its own', async () => {
  const items = ['a', 'x'.repeat(MAX_PAGE_BYTES), 'b']
  const shape = { limit: 9, idOf: (item: string) => item.slice(0, 3), show: (item: string) => item }
  expect(await readPage(items, shape)).toEqual({ items: ['a'], next: 'a' })
  expect(await readPage(items.slice(1), shape)).toEqual({ items: [items[1]], next: 'xxx' })
})
