import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { claims, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const { request } = sandbox

const list = <Item>(length: number, make: (n: number) => Item) =>
  Array.from({ length }, (_, n) => make(n))
const LARGE = claims({
  age_thresholds: list(100, (n) => n + 1),
  allowed_methods: ['id_doc_scan', 'facial_age_estimation'],
  provenance: {
    allowed: list(10, (n) => `/${n}${'x'.repeat(98)}`),
    denied: list(10, (n) => `/${n}${'y'.repeat(98)}`),
  },
  overrides: { id_doc_scan: { age_thresholds: list(100, (n) => n + 1) } },
})
const NESTED = `%${'25'.repeat(30_000)}`

/** Calls that take long, by what is large in them. */
const LONG: Readonly<Record<string, () => Promise<unknown>>> = {
  'the coverage of many claims with many personas': async () => request.get('/_sandbox/coverage'),
  'the playground of many personas': async () =>
    request.get('/_sandbox/console/playground').query({ claims: LARGE }),
  'a search of many words': async () =>
    request.get('/_sandbox/docs/search').query({ q: 'a b '.repeat(10_000) }),
  'a list of flows with nested escapes': async () => request.get('/_sandbox/flows?limit=200'),
  'a tenant with many clients': async () => {
    const clients = list(200, (n) => {
      return {
        client_id: `c${n}`,
        client_secret: `secret-of-client-${n}`,
        redirect_uris: ['https://a.example/cb'],
      }
    })
    await request.put('/_sandbox/tenants/large').send({ clients }).expect(201)
    for (let n = 0; n < 20; n++)
      await request.get('/t/large/v1/oidc/use').query(useRequest({ client_id: `x${n}` }))
    return request.get('/t/large/_sandbox/flows')
  },
}

/** The longest that a health check waits, in milliseconds, while `call` is answered. */
async function longestWait(call: () => Promise<unknown>): Promise<number> {
  let isDone = false
  const answered = call().finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const begun = performance.now()
    await request.get('/_sandbox/health').expect(200)
    longest = Math.max(longest, performance.now() - begun)
    await pause(5)
  }
  await answered
  return longest
}

test.each(Object.entries(LONG))(
  'No health check waits for %s',
  { timeout: 120_000 },
  async (_, call) => {
    const signal = {
      method: 'id_doc_scan',
      verified_at: 'now - 30d',
      provenance: '/veratad/roc',
    } as const
    const age_key = {
      signals: Array(10).fill({ ...signal, age: { date_of_birth: 'today - 18y' } }),
    }
    for (const page of [0, 1, 2])
      await sandbox.personas.putAll(
        list(100, (n) => ({
          name: `large-${page}-${n}`,
          title: 'Large',
          purpose: 'Many signals.',
          age_key,
        })),
      )
    for (let n = 0; n < 20; n++) {
      const large = {
        ...JSON.parse(LARGE),
        verified_after: `2020-01-${n + 1}`.replace(/-(\d)$/, '-0$1'),
      }
      await request
        .get('/v1/oidc/use')
        .query(useRequest({ claims: JSON.stringify(large), sandbox_persona: 'child-4' }))
      await request.get(
        `/v1/oidc/use?${new URLSearchParams(useRequest({ nonce: '' }))}&junk=${NESTED}`,
      )
    }
    expect(await longestWait(call)).toBeLessThan(1_000)
  },
)
