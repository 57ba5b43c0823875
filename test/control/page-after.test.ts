import { describe, expect, test } from 'vitest'
import type { Persona } from '../../src/sandbox/personas/persona-schema.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

interface Page {
  readonly next?: string
  readonly [list: string]: unknown
}

type Named = { readonly name?: string; readonly id?: string }

/** One page of a list: what its items are called, and where the next one begins. */
async function pageOf(sandbox: TestSandbox, list: string, query: Readonly<Record<string, string | number>> = {}) {
  const { text, body }: { text: string; body: Page } = await sandbox.request
    .get(`/_sandbox/${list}`)
    .query(query)
    .expect(200)
  const items = body[list] as Named[]
  return {
    names: items.map(({ name, id }) => (list === 'scenarios' ? id : (name ?? id))),
    next: body.next,
    size: text.length,
  }
}

/** The pages of a list, read by what each says of the next one. */
async function pagesOf(sandbox: TestSandbox, list: string, query: Readonly<Record<string, string | number>>) {
  const cursor = list === 'flows' ? 'before' : 'after'
  const pages = [await pageOf(sandbox, list, query)]
  for (;;) {
    const { next } = pages.at(-1) ?? {}
    if (next === undefined) return pages
    pages.push(await pageOf(sandbox, list, { ...query, [cursor]: next }))
  }
}

/** A sandbox that has more than two of everything. */
async function startFull(): Promise<TestSandbox> {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  for (let n = 0; n < 5; n++) {
    await rp.use({ sandbox_persona: 'teen-16' })
    await sandbox.next({ outcome: 'access_denied', match: { state: `never ${n}` } })
    await sandbox.scenarios.arm({ name: `Scenario ${n}`, steps: [{ await: 'par' }] })
    await sandbox.tenant(`tenant-${4 - n}`).clock.state()
  }
  return sandbox
}

describe('GET', () => {
  test.each(['personas', 'expectations', 'scenarios', 'tenants', 'flows'])(
    '%s gives the same items in pages of two as at once, and says where each page goes on',
    async (list) => {
      const sandbox = await startFull()
      const all = await pageOf(sandbox, list)
      expect([all.names.length > 4, all.next]).toEqual([true, undefined])
      const pages = await pagesOf(sandbox, list, { limit: 2 })
      expect(pages.flatMap(({ names }) => names)).toEqual(all.names)
      for (const { names, next } of pages.slice(0, -1)) expect([names.length, next]).toEqual([2, names.at(-1)])
      const exact = await pageOf(sandbox, list, { limit: all.names.length })
      expect([exact.names, exact.next]).toEqual([all.names, undefined])
    },
  )

  test.each(['personas', 'expectations', 'scenarios', 'tenants', 'flows'])(
    '%s takes a limit of 1 to 2,000',
    async (list) => {
      const { request } = await startSandbox()
      const statusOf = async (limit: unknown) => (await request.get(`/_sandbox/${list}?limit=${limit}`)).status
      expect([await statusOf(1), await statusOf(2_000)]).toEqual([200, 200])
      expect([await statusOf(0), await statusOf(2_001), await statusOf('all')]).toEqual([400, 400, 400])
    },
  )

  test.each(['personas', 'expectations', 'scenarios', 'tenants'])(
    '%s after something that the list does not hold is refused with the way out',
    async (list) => {
      const { request } = await startSandbox()
      const answer = await request.get(`/_sandbox/${list}?after=gone`).expect(400)
      expect(answer.body.error_description).toBe(
        'after: the list does not hold "gone" (any more); give the next of the page before, or leave it out to read from the beginning',
      )
    },
  )

  test('tenants gives the root tenant first and the others by their names', async () => {
    const { names } = await pageOf(await startFull(), 'tenants')
    expect(names).toEqual(['default', 'tenant-0', 'tenant-1', 'tenant-2', 'tenant-3', 'tenant-4'])
  })

  test('expectations gives two thousand at most, and the library all of them', async () => {
    const sandbox = await startSandbox()
    for (let n = 0; n < 2_001; n++) await sandbox.next({ outcome: 'access_denied' })
    const { names, next } = await pageOf(sandbox, 'expectations')
    expect([names.length, next]).toEqual([2_000, names.at(-1)])
    expect(await sandbox.expectations.list()).toHaveLength(2_001)
  })

  test('flows with since goes on by since, in the order in which they ended', async () => {
    const sandbox = await startFull()
    expect(await pageOf(sandbox, 'flows', { since: 'f0', limit: 2 })).toMatchObject({ names: ['f1', 'f2'], next: 'f2' })
    expect(await pageOf(sandbox, 'flows', { since: 'f4', limit: 2 })).toMatchObject({ names: ['f5'], next: undefined })
  })
})

/** Beyond a page there may be the names of its members, and one item that is too long for any page. */
const MAX_ANSWER = 1024 * 1024 + 1_000

describe('A page of a list ends before it passes a mebibyte', () => {
  test('of flows, also with the largest limit, and the library reads on', async () => {
    const sandbox = await startSandbox()
    const state = 's'.repeat(3_000)
    for (let n = 0; n < 200; n++)
      await sandbox.request.get('/v1/oidc/use').query(useRequest({ state: state + n, sandbox_persona: 'teen-16' }))
    const pages = await pagesOf(sandbox, 'flows', { limit: 2_000 })
    expect(pages.length).toBeGreaterThan(1)
    for (const { size } of pages) expect(size).toBeLessThan(MAX_ANSWER)
    expect(pages.flatMap(({ names }) => names)).toHaveLength(200)
    expect(await sandbox.flows.list({ limit: 2_000 })).toHaveLength(200)
    expect(await sandbox.flows.list({ limit: 150 })).toHaveLength(150)
  })

  test('of personas', async () => {
    const sandbox = await startSandbox()
    const signal = {
      method: 'id_doc_scan',
      age: { years: 20 },
      verified_at: '2026-01-01',
      provenance: '/veratad/roc',
    } as const
    const persona = (name: string): Persona => ({
      name,
      title: 'T',
      purpose: 'P',
      age_key: { signals: Array(50).fill(signal) },
    })
    for (let n = 0; n < 300; n++) await sandbox.personas.put(persona(`own-${n}`))
    const pages = await pagesOf(sandbox, 'personas', {})
    expect(pages.length).toBeGreaterThan(1)
    for (const { size } of pages) expect(size).toBeLessThan(MAX_ANSWER)
    expect((await sandbox.personas.list()).filter(({ name }) => name.startsWith('own-'))).toHaveLength(300)
  })

  test('of scenarios', async () => {
    const sandbox = await startSandbox()
    const steps = Array.from({ length: 500 }, () => ({ await: 'par' as const }))
    for (let n = 0; n < 40; n++) await sandbox.scenarios.arm({ name: 'N'.repeat(200), steps })
    const pages = await pagesOf(sandbox, 'scenarios', {})
    expect(pages.length).toBeGreaterThan(1)
    for (const { size } of pages) expect(size).toBeLessThan(MAX_ANSWER)
    expect(await sandbox.scenarios.list()).toHaveLength(40)
  })
})
