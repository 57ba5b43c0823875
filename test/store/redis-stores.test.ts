import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import supertest from 'supertest'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../src/sandbox/clock/clock.ts'
import { generateStoredKeys, importKeys } from '../../src/sandbox/keys/signing-keys.ts'
import { createApp } from '../../src/server/app.ts'
import { openRedisStores } from '../../src/store/redis-stores.ts'
import { createTestHost } from '../support/host.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createTestParts } from '../support/tenant.ts'
import { describeWith } from '../support/tools.ts'
import { type RedisServer, startRedis } from './redis/redis-server.ts'

const open = async (url: string) => {
  const stores = await openRedisStores(url, { version: '1.0.0', onLost() {}, onBack() {} })
  onTestFinished(() => stores.close())
  await stores.agreeOnKeys?.(async () => importKeys(await generateStoredKeys()))
  return stores
}

/** A server that does this to each connection. */
async function startServer(act: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => act(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Of a start that is refused: a Redis in some state, the address, and what the one line says. */
const REFUSED: Readonly<
  Record<string, readonly [prepare: (redis: RedisServer) => void, address: (url: string) => string, message: RegExp]>
> = {
  'a password is missing': [
    (redis) => redis.command('config', 'set', 'requirepass', 'secret'),
    (url) => url,
    /NOAUTH.*; it asks for a password; give it in the address/,
  ],
  'the password is wrong': [
    (redis) => redis.command('config', 'set', 'requirepass', 'secret'),
    (url) => url.replace('//', '//:not-it@'),
    /WRONGPASS.*; user or password is wrong; correct them/,
  ],
  'a password is given and none is set': [
    () => {},
    (url) => url.replace('//', '//:not-it@'),
    /; it has no password|WRONGPASS/,
  ],
  'the user may not write': [
    (redis) => redis.command('acl', 'setuser', 'reader', 'on', '>secret', '~*', '&*', '+@read', '+@connection'),
    (url) => url.replace('//', '//reader:secret@'),
    /key agekey-sandbox:version \(the version\): refuses the call \(NOPERM\); allow its user all commands/,
  ],
  'there is no such database': [() => {}, (url) => `${url}/99`, /; it has no database of this number/],
  'the version is no text': [
    (redis) => redis.command('rpush', 'agekey-sandbox:version', 'x'),
    (url) => url,
    /key agekey-sandbox:version \(the version\): refuses the call \(WRONGTYPE\); a key that begins with agekey-sandbox: holds something else/,
  ],
  'the signing keys are damaged': [
    (redis) => redis.command('hset', 'agekey-sandbox:1.0.0:_keys:table:signing', 'initial', '1:{"RS256":{}}'),
    (url) => url,
    /key agekey-sandbox:1\.0\.0:_keys:table:signing \(the signing keys\): a signing record is damaged at RS256/,
  ],
  'the signing keys are no JSON': [
    (redis) => redis.command('hset', 'agekey-sandbox:1.0.0:_keys:table:signing', 'initial', '1:{'),
    (url) => url,
    /key agekey-sandbox:1\.0\.0:_keys:table:signing .*damaged/,
  ],
  'it speaks no TLS': [
    () => {},
    (url) => url.replace('redis:', 'rediss:'),
    /; start Redis or Valkey there or, if it speaks no TLS, write redis:/,
  ],
}

describeWith('redis-server', 'A start with a store', () => {
  test.each(Object.entries(REFUSED))('says in one line what and where, and the remedy: %s', async (_name, state) => {
    const [prepare, address, message] = state
    const redis = await startRedis()
    prepare(redis)
    const refused = await open(address(redis.url)).then(
      () => new Error('it was not refused'),
      (error: Error) => error,
    )
    expect(refused.message).toMatch(message)
    expect(refused.message).toMatch(/^store: rediss?:\/\/127\.0\.0\.1:\d+/)
    expect(refused.message).not.toMatch(/\n|secret|not-it/)
  })

  describe('of three replicas at once, on an empty one', () => {
    /** The key that a replica signs with, or why it does not start. */
    const startOf = async (url: string) => {
      try {
        const stores = await openRedisStores(url, { version: '1.0.0', onLost() {}, onBack() {} })
        onTestFinished(() => stores.close())
        return (await stores.agreeOnKeys?.(async () => importKeys(await generateStoredKeys())))?.RS256.kid
      } catch (error) {
        return error
      }
    }
    const startThree = (url: string) => Promise.all(Array.from({ length: 3 }, () => startOf(url)))
    const ONE_KEY = [expect.any(String)]

    test('agrees on keys, also when writes are held back for a moment', async () => {
      const redis = await startRedis()
      redis.command('client', 'pause', '1000', 'write')
      expect([...new Set(await startThree(redis.url))]).toEqual(ONE_KEY)
    })

    test.each([
      ['the version', () => {}],
      ['the signing keys', (redis: RedisServer) => redis.command('set', 'agekey-sandbox:version', '1.0.0')],
    ])('ends with one line when %s cannot be written, and agrees when they start again', async (what, prepare) => {
      const redis = await startRedis()
      prepare(redis)
      redis.command('config', 'set', 'maxmemory', '1')
      const refused = await startThree(redis.url)
      for (const error of refused) {
        expect(error).toBeInstanceOf(Error)
        expect(String(error)).toMatch(
          /^Error: store: redis:.*: refuses the call \(OOM\); try again when it takes calls again$/,
        )
        expect(String(error)).toContain(`(${what})`)
      }
      redis.command('config', 'set', 'maxmemory', '0')
      expect([...new Set(await startThree(redis.url))]).toEqual(ONE_KEY)
    })
  })

  test('says so when the host is not known', async () => {
    await expect(open('valkey://no-such-host.invalid')).rejects.toThrow(
      /^store: valkey:\/\/no-such-host\.invalid cannot be used: .*; correct the name of the host$/,
    )
  })

  test('says so when a server of TLS closes the connection, or something else answers', async () => {
    const closing = await startServer((socket) => socket.once('data', () => socket.destroy()))
    await expect(open(`redis://${closing}`)).rejects.toThrow(/; write rediss:.* if it speaks TLS only/)
    const other = await startServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    await expect(open(`redis://${other}`)).rejects.toThrow(
      /^store: redis:\/\/127.*; if it is something else than Redis/,
    )
  })

  test('goes on while records of an earlier start cannot be replaced', async () => {
    const redis = await startRedis()
    await open(redis.url)
    redis.command('replicaof', '127.0.0.1', '1')
    await expect(open(redis.url)).resolves.toBeDefined()
  })

  test('takes a socket file, and the number of a database behind it', async () => {
    const redis = await startRedis()
    const sandbox = await startSandbox({
      store: `unix://${redis.socket}?db=2`,
      baseUrl: 'http://sandbox.localhost:2435',
    })
    const party = createRelyingParty(sandbox)
    expect((await party.exchange(await party.obtainCode())).status).toBe(200)
    redis.command('-n', '2', 'get', 'agekey-sandbox:version')
    await expect(open(`unix://${redis.socket}.not`)).rejects.toThrow(
      /^store: unix:\/\/.*\.not cannot be used: .*ENOENT.*; there is no such socket file/,
    )
    const health = await sandbox.request.get('/_sandbox/health')
    expect(health.status).toBe(200)
    redis.command('config', 'set', 'maxmemory', '1')
    expect((await sandbox.request.get('/_sandbox/health')).text).toContain(`the store at unix://${redis.socket}?db=2`)
  })

  test('names the key of a record that is damaged at run time, and what to do', async () => {
    const redis = await startRedis()
    const stores = await open(redis.url)
    const parts = await createTestParts(stores)
    const errors: unknown[] = []
    const app = createApp(createTestHost(parts, { onError: (error) => errors.push(error) }))
    const state = 'agekey-sandbox:1.0.0:default:state:table:state'
    const flows = () =>
      supertest(app)
        .get('/v1/oidc/use')
        .query(useRequest({ sandbox_persona: 'adult-passport' }))
    for (const [row, how] of [
      ['1:{', `the record under ${state}, field clock is damaged: it is no JSON; remove it there, or`],
      ['1:{"advancedMs":"x"}', 'remove it from the store (table state, field clock), or empty the store'],
    ] as const) {
      redis.command('hset', state, 'clock', row)
      const refused = await flows().set('Accept', 'application/json')
      expect([refused.status, refused.body.error]).toEqual([500, 'server_error'])
      expect(refused.body.error_description).toContain(how)
      redis.command('hdel', state, 'clock')
      expect((await flows()).status).toBe(302)
    }
    expect(errors).toHaveLength(2)
    redis.command('del', state)
    redis.command('rpush', state, 'x')
    const wrongType = await flows().set('Accept', 'application/json')
    expect([wrongType.status, wrongType.text]).toEqual([503, expect.stringContaining('(WRONGTYPE); a key that begins')])
    redis.command('del', state)
    expect((await flows()).status).toBe(302)
  })

  test.each(['scenario', 'expectation', 'persona'])(
    'loses a damaged row by a reset, as its message says: %s',
    async (kind) => {
      const redis = await startRedis()
      const stores = await open(redis.url)
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      const app = createApp(createTestHost(await createTestParts(stores), { onError }))
      const tables = stores.createRecords('default', createClock()).tables
      await tables.put(kind, 'x', 7)
      const list = () => supertest(app).get(`/_sandbox/${kind}s`)
      expect((await list().expect(500)).body.error_description).toMatch(
        /damaged.*; reset the tenant, or empty the store/,
      )
      await supertest(app).post('/_sandbox/reset').send({}).expect(204)
      await list().expect(200)
      expect(errors).toHaveLength(1)
    },
  )
})
