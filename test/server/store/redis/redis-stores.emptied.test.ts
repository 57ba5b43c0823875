import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { expect, test, vi } from 'vitest'
import { messageOf } from '../../../../src/sandbox/files/caught.ts'
import { generateStoredKeys } from '../../../../src/sandbox/keys/signing-keys.ts'
import { openRedisStores } from '../../../../src/server/store/redis/redis-stores.ts'
import { folderWith } from '../../../support/folder-with.ts'
import { describeWith } from '../../../support/tools.ts'
import { type Replica, readEvents, startReplica, useRedis } from './redis-server.ts'

const SIX_SECONDS = { timeout: 6_000 }

/** Keys that replicas bring along, in turn, so that two replicas bring different ones. */
const BROUGHT = await Promise.all([
  generateStoredKeys(),
  generateStoredKeys(),
  generateStoredKeys(),
])
let starts = 0

function start(store: string, warnings: string[] = []): Promise<Replica> {
  const { RS256, ES256 } = BROUGHT[starts++ % BROUGHT.length] ?? BROUGHT[0]
  const keySet = {
    keys: [
      { ...RS256, alg: 'RS256' },
      { ...ES256, alg: 'ES256' },
    ],
  }
  const keys = join(folderWith({ 'keys.json': JSON.stringify(keySet) }), 'keys.json')
  chmodSync(keys, 0o600)
  return startReplica(store, { keys, onWarning: (message) => warnings.push(message) })
}
const startTwo = async (store: string) => {
  const a = await start(store)
  const b = await start(store)
  return { a, b }
}

const keySetOf = async ({ request }: Replica) =>
  (await request.get('/.well-known/jwks.json').expect(200)).body
const kidsOf = async (replica: Replica): Promise<string[]> =>
  (await keySetOf(replica)).keys.map(({ kid }: { kid: string }) => kid)

/** All have one key set, and it verifies a token of each. */
async function expectAgreement(replicas: readonly Replica[]): Promise<void> {
  const tokens = await Promise.all(
    replicas.map(async ({ party }) => (await party.use()).params['id_token'] ?? ''),
  )
  const keySets = await Promise.all(replicas.map(keySetOf))
  for (const keySet of keySets) {
    expect(keySet).toEqual(keySets[0])
    for (const token of tokens) await jwtVerify(token, createLocalJWKSet(keySet))
  }
}

const health = ({ request }: Replica) => request.get('/_sandbox/health')
const untilHealthy = (...replicas: readonly Replica[]) =>
  vi.waitFor(() => Promise.all(replicas.map((replica) => health(replica).expect(200))), SIX_SECONDS)

const GOOD = await generateStoredKeys()
/** Records of the keys that cannot be used: what they hold, the row, and what the message says. */
const DAMAGED: readonly (readonly [string, string, string])[] = [
  ['no JSON', '1:{', 'is damaged: it is no JSON; remove it there'],
  ['no text of the sandbox', 'x', 'is damaged: it is no JSON; remove it there'],
  [
    'no keys',
    '1:{"RS256":{}}',
    'a signing record is damaged at RS256: not a JSON Web Key; remove the key',
  ],
  [
    'a damaged key',
    `1:${JSON.stringify({ ...GOOD, RS256: { ...GOOD.RS256, n: GOOD.RS256.n?.replace(/^..../, 'zzzz') } })}`,
    'the RS256 key is damaged: n, p and q do not belong together; remove the key',
  ],
  [
    'a public key',
    `1:${JSON.stringify({ ...GOOD, ES256: { ...GOOD.ES256, d: undefined } })}`,
    'the ES256 key is a public key: the private member d is missing; remove the key',
  ],
]

describeWith('redis-server', 'A store that was emptied', () => {
  const redis = useRedis()
  /** The key of the record with the signing keys. */
  const keysKey = async () =>
    String(await redis.command('keys agekey-sandbox:*:_keys:table:signing'))
  const replaceWithEmpty = async () => {
    await redis.kill()
    redis.forget()
    await redis.start()
  }
  const WAYS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['FLUSHALL', () => redis.command('flushall')],
    ['a restart without its records', replaceWithEmpty],
  ]

  test.each(WAYS)(
    'A new replica takes the key that running replicas keep through %s',
    async (_way, empty) => {
      const { a, b } = await startTwo(redis.url)
      const before = await kidsOf(a)
      await empty()
      await untilHealthy(a, b)
      const c = await start(redis.url)
      expect(await kidsOf(c)).toEqual(before)
      await expectAgreement([a, b, c])
    },
  )

  test('A replica that nobody calls writes its keys to an emptied store within six seconds', async () => {
    const a = await start(redis.url)
    const key = await keysKey()
    await redis.command('flushall')
    await expect.poll(keysKey, SIX_SECONDS).toBe(key)
    const c = await start(redis.url)
    expect(await kidsOf(c)).toEqual(await kidsOf(a))
  })

  test('A replica that nobody calls writes the version to an emptied store within six seconds', async () => {
    await start(redis.url)
    await redis.command('flushall')
    await expect.poll(() => redis.command('get agekey-sandbox:version'), SIX_SECONDS).not.toBeNull()
    const older = openRedisStores(redis.url, { version: '0.0.1', onLost() {}, onBack() {} })
    await expect(older).rejects.toThrow('holds records of agekey-sandbox')
  })

  test('Replicas agree at once with a replica that starts on the store that was just emptied', async () => {
    for (let round = 0; round < 3; round++) {
      const { a, b } = await startTwo(redis.url)
      await redis.command('flushall')
      const c = await start(redis.url)
      await expectAgreement([a, b, c])
    }
  })

  test('Replicas that notice at once that the keys are gone write one record', async () => {
    const warnings: string[] = []
    const [a, b] = [await start(redis.url, warnings), await start(redis.url, warnings)]
    const before = await kidsOf(a)
    await redis.command('del', await keysKey())
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, index) => kidsOf(index % 2 === 0 ? a : b)),
    )
    for (const kids of seen) expect(kids).toEqual(before)
    expect(
      warnings.filter((message) => message.includes('had lost the signing keys')),
    ).toHaveLength(1)
  })

  test('A code serves after the record of the keys alone was deleted', async () => {
    const { a, b } = await startTwo(redis.url)
    const code = await a.party.obtainCode()
    await redis.command('del', await keysKey())
    await expectAgreement([a, b, await start(redis.url)])
    expect((await b.party.exchange(code)).status).toBe(200)
  })

  test('All replicas sign with the keys of a record that was replaced', async () => {
    const { a, b } = await startTwo(redis.url)
    const before = await kidsOf(a)
    await redis.command(
      `hset ${await keysKey()} initial`,
      `1:${JSON.stringify(await generateStoredKeys())}`,
    )
    const c = await start(redis.url)
    await expectAgreement([a, b, c])
    expect(await kidsOf(c)).not.toEqual(before)
  })

  test('A replica warns once that it signs with the keys of a record that was replaced', async () => {
    const warnings: string[] = []
    const a = await start(redis.url, warnings)
    await redis.command(
      `hset ${await keysKey()} initial`,
      `1:${JSON.stringify(await generateStoredKeys())}`,
    )
    for (let call = 0; call < 3; call++) await a.party.use()
    expect(warnings).toEqual([
      expect.stringMatching(/^store: redis:\S+ holds other signing keys now, and this replica/),
    ])
  })

  test.each(DAMAGED)(
    'A replica answers 503 with the remedy while the record of the keys holds %s',
    async (_, row, why) => {
      const { a } = await startTwo(redis.url)
      const key = await keysKey()
      await redis.command(`hset ${key} initial`, row)
      const description = expect.stringMatching(
        new RegExp(`^the store at redis:\\S+, key ${key} \\(the signing keys\\): `),
      )
      for (const { status, body } of [await health(a), await a.party.push()]) {
        expect(status).toBe(503)
        expect(body).toMatchObject({
          error: 'temporarily_unavailable',
          error_description: description,
        })
        expect(body.error_description).toContain(why)
      }
    },
  )

  test.each(DAMAGED)(
    'A replica does not start while the record of the keys holds %s',
    async (_, row, why) => {
      await start(redis.url)
      await redis.command(`hset ${await keysKey()} initial`, row)
      const refused = await start(redis.url).then(() => 'it started', messageOf)
      expect(refused).toMatch(
        /^store: redis:\S+, key \S+:_keys:table:signing \(the signing keys\): [^\n]+$/,
      )
      expect(refused).toContain(why)
    },
  )

  test('Replicas sign with the keys that they had once a damaged record of the keys is removed', async () => {
    const { a, b } = await startTwo(redis.url)
    const before = await kidsOf(a)
    const key = await keysKey()
    await redis.command(`hset ${key} initial x`)
    expect((await health(a)).status).toBe(503)
    await redis.command(`del ${key}`)
    await health(a).expect(200)
    await expectAgreement([a, b, await start(redis.url)])
    expect(await kidsOf(b)).toEqual(before)
  })

  test('A replica answers 503 while another version writes to the store', async () => {
    const a = await start(redis.url)
    await redis.command('set agekey-sandbox:version 99.0.0')
    const { status, body } = await health(a)
    expect(status).toBe(503)
    expect(body.error_description).toMatch(
      /^the store at redis:\S+ holds records of agekey-sandbox 99\.0\.0, and this is /,
    )
    expect((await a.party.push()).status).toBe(503)
  })

  test('A replica goes on when the store has its version again', async () => {
    const a = await start(redis.url)
    const version = String(await redis.command('get agekey-sandbox:version'))
    await redis.command('set agekey-sandbox:version 99.0.0')
    await health(a).expect(503)
    await redis.command(`set agekey-sandbox:version ${version}`)
    await health(a).expect(200)
  })

  test('A replica that cannot write the keys to an emptied store answers 503 until it can', async () => {
    const a = await start(redis.url)
    await redis.command('config set maxmemory 1')
    await redis.command('flushall')
    const { status, body } = await health(a)
    expect(status).toBe(503)
    expect(body.error_description).toContain('(OOM)')
    await redis.command('config set maxmemory 0')
    await health(a).expect(200)
    await expectAgreement([a, await start(redis.url)])
  })

  test.each(WAYS)('A flow runs across replicas at once after %s', async (_way, empty) => {
    const { a, b } = await startTwo(redis.url)
    await a.party.obtainToken()
    await empty()
    await untilHealthy(a, b)
    const token = (await b.party.exchange(await a.party.obtainCode())).body.access_token
    expect((await a.party.upgrade(token)).status).toBe(200)
    expect((await a.party.create(await b.party.obtainRequestUri())).params['error']).toBeUndefined()
  })

  test('A code from before the store was emptied is refused by all replicas', async () => {
    const { a, b } = await startTwo(redis.url)
    const code = await a.party.obtainCode()
    await redis.command('flushall')
    expect((await a.party.exchange(code)).status).toBe(400)
    expect((await b.party.exchange(code)).status).toBe(400)
  })

  test('The journal of all replicas shows the flows since the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    for (const state of ['before-1', 'before-2']) await a.party.use({ state })
    await redis.command('flushall')
    await b.party.use({ state: 'after-1' })
    await a.party.use({ state: 'after-2' })
    for (const { flows } of [a, b]) {
      expect((await flows.list()).map(({ state }) => state)).toEqual(['after-2', 'after-1'])
    }
  })

  test.each(WAYS)('A stream of events goes on after %s', async (_way, empty) => {
    const { a, b } = await startTwo(redis.url)
    const events = await readEvents(b)
    await empty()
    await untilHealthy(a, b)
    const hears = async () => {
      await a.party.use({ state: 'heard-of' })
      expect(events()).toMatch(/event: flow\n.*heard-of/)
    }
    await vi.waitFor(hears, { timeout: 10_000, interval: 200 })
  })

  test('A long poll that waits since a flow is answered by the first flow after FLUSHALL', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.party.use({ state: 'before' })
    const waiting = b.request.get('/_sandbox/flows').query('wait=15&since=now').then()
    // Another call of the same replica: by now the first one waits.
    await b.flows.list()
    await redis.command('flushall')
    await a.party.use({ state: 'after' })
    expect((await waiting).body.flows).toMatchObject([{ state: 'after' }])
  })

  test('A long poll that waits while an empty Redis takes the place is answered by a later flow', async () => {
    const { a, b } = await startTwo(redis.url)
    const waiting = b.request.get('/_sandbox/flows').query('wait=30&state=after').then()
    let isAnswered = false
    const answered = waiting.then(() => (isAnswered = true))
    // Other calls of the same replica: by now the first one waits.
    for (let calls = 0; calls < 3; calls++) await b.flows.list()
    await replaceWithEmpty()
    await untilHealthy(a, b)
    // The connection by which a replica hears of the other one may come back later.
    const answers = async () => {
      await a.party.use({ state: 'after' })
      expect(isAnswered).toBe(true)
    }
    await vi.waitFor(answers, { timeout: 10_000, interval: 200 })
    await answered
    expect((await waiting).body.flows).toContainEqual(expect.objectContaining({ state: 'after' }))
  })

  test('A tenant that was declared before the store was emptied is gone for all replicas', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.request.put('/_sandbox/tenants/team-a').send({ outcome: 'access_denied' })
    await b.request.get('/_sandbox/tenants/team-a').expect(200)
    await redis.command('flushall')
    for (const { request } of [a, b]) await request.get('/_sandbox/tenants/team-a').expect(404)
  })

  test('A tenant has its declared settings on all replicas after the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    const outcomeOf = async ({ request }: Replica) =>
      (await request.get('/_sandbox/tenants/default')).body.outcome
    await a.request.put('/_sandbox/tenants/default').send({ outcome: 'access_denied' })
    expect(await outcomeOf(b)).toBe('access_denied')
    await redis.command('flushall')
    for (const replica of [a, b]) {
      expect(await outcomeOf(replica)).not.toBe('access_denied')
      expect(
        (await replica.party.use({ sandbox_persona: 'adult-passport' })).params['error'],
      ).toBeUndefined()
    }
  })

  test('The clock of all replicas shows real time after the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.clock.advance(3_600)
    expect(await b.clock.state()).toMatchObject({ advanced_seconds: 3_600 })
    await redis.command('flushall')
    for (const { clock } of [a, b])
      expect(await clock.state()).toMatchObject({ advanced_seconds: 0 })
  })

  test('A persona that was put before the store was emptied is gone for all replicas', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.personas.put({ name: 'new-one', title: 'New', purpose: 'Added at run time.' })
    expect(await b.personas.get('new-one')).toMatchObject({ title: 'New' })
    await redis.command('flushall')
    for (const { request } of [a, b]) await request.get('/_sandbox/personas/new-one').expect(404)
  })

  test('Replicas sign with their first key again when the store loses keys that were rotated', async () => {
    const { a, b } = await startTwo(redis.url)
    const first = await kidsOf(a)
    await a.keys.rotate('publish')
    await b.keys.rotate('use')
    await a.keys.rotate('retire')
    expect(await kidsOf(b)).not.toEqual(first)
    await redis.command('flushall')
    await untilHealthy(a)
    await expectAgreement([a, b, await start(redis.url)])
    expect(await kidsOf(b)).toEqual(first)
  })

  test('Replicas rotate their keys together after the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.keys.rotate('publish')
    await redis.command('flushall')
    await expect(b.keys.rotate('use')).rejects.toMatchObject({ status: 409 })
    await a.keys.rotate('publish')
    await b.keys.rotate('use')
    await expectAgreement([a, b, await start(redis.url)])
    expect(await kidsOf(a)).toHaveLength(4)
  })

  test('An outcome that lends the next key serves after the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    const rotated = { sandbox_outcome: 'id_token.key_rotated' }
    await a.party.use(rotated)
    await redis.command('flushall')
    expect((await b.party.use(rotated)).params['error']).toBeUndefined()
    await expectAgreement([a, b])
  })

  test('Calls go on when Redis has forgotten its scripts alone', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.party.obtainToken()
    await redis.command('script flush')
    expect((await b.party.exchange(await a.party.obtainCode())).status).toBe(200)
  })

  test('An expectation decides once after the store was emptied', async () => {
    const { a, b } = await startTwo(redis.url)
    await a.next({ flow: 'use', outcome: 'access_denied' })
    await redis.command('flushall')
    expect((await b.party.use()).params['error']).toBeUndefined()
    await a.next({ flow: 'use', outcome: 'access_denied' })
    expect((await b.party.use()).params['error']).toBe('access_denied')
    expect((await a.party.use()).params['error']).toBeUndefined()
  })

  test('Replicas agree when an empty Redis takes the place of one that was away', async () => {
    const { a, b } = await startTwo(redis.url)
    await redis.kill()
    await vi.waitFor(() => health(a).expect(503), SIX_SECONDS)
    redis.forget()
    await redis.start()
    await untilHealthy(a, b)
    await expectAgreement([a, b, await start(redis.url)])
  })
})
