import { createServer, type Socket } from 'node:net'
import supertest from 'supertest'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../../../src/sandbox/clock/clock.ts'
import { messageOf } from '../../../../src/sandbox/files/caught.ts'
import { generateStoredKeys, importKeys } from '../../../../src/sandbox/keys/signing-keys.ts'
import { createApp } from '../../../../src/server/app.ts'
import { createSandbox } from '../../../../src/server/create-sandbox.ts'
import { openRedisStores } from '../../../../src/server/store/redis/redis-stores.ts'
import type { Stores } from '../../../../src/server/store/stores.ts'
import { createTestHost } from '../../../support/host.ts'
import { listenOnFreePort } from '../../../support/listen-on-free-port.ts'
import { useRequest } from '../../../support/requests.ts'
import { createTestParts } from '../../../support/tenant.ts'
import { describeWith } from '../../../support/tools.ts'
import { startReplica, useRedis } from './redis-server.ts'

/** The keys that each of three replicas makes when it is the first. */
const made = [generateStoredKeys(), generateStoredKeys(), generateStoredKeys()] as const

/** Opens the stores as a replica starts, with the id of the key that it signs with. */
async function open(url: string, replica: 0 | 1 | 2 = 0) {
  const stores = await openRedisStores(url, { version: '1.0.0', onLost() {}, onBack() {} })
  onTestFinished(() => stores.close())
  const keys = await stores.agreeOnKeys?.(async () => importKeys(await made[replica]))
  return { ...stores, kid: (await keys?.())?.RS256.kid }
}

/** The routes of a sandbox on these stores, and what goes wrong in it. */
async function startOn(stores: Stores) {
  const errors: unknown[] = []
  const app = createApp(
    createTestHost(await createTestParts(stores), { onError: (error) => errors.push(error) }),
  )
  return { request: supertest(app), errors }
}

const serve = (act: (socket: Socket) => void) =>
  listenOnFreePort(createServer((socket) => act(socket.on('error', () => {}))))

const NO_CHANGE = ['', ''] as const
const WRONG_PASSWORD = ['//', '//:not-it@'] as const
const PASSWORD = ['config set requirepass', 'secret']
const VERSION = 'agekey-sandbox:version'
const KEYS = 'agekey-sandbox:1.0.0:_keys:table:signing'

/**
 * Starts that are refused: a Redis in some state, what is replaced in its address, and what the one
 * line says.
 */
const REFUSED: readonly (readonly [
  state: string,
  readonly string[],
  readonly [string, string],
  RegExp,
])[] = [
  [
    'a password is missing',
    PASSWORD,
    NO_CHANGE,
    /NOAUTH.*; it asks for a password; give it in the address/,
  ],
  [
    'the password is wrong',
    PASSWORD,
    WRONG_PASSWORD,
    /WRONGPASS.*; user or password is wrong; correct them/,
  ],
  [
    'the user may not write',
    ['acl setuser reader on >secret ~* &* +@read +@connection'],
    ['//', '//reader:secret@'],
    /key agekey-sandbox:version \(the version\): refuses the call \(NOPERM\); allow its user all commands/,
  ],
  ['there is no such database', [], ['$', '/99'], /; it has no database of this number/],
  [
    'the version is no text',
    [`rpush ${VERSION} x`],
    NO_CHANGE,
    /:version \(the version\): refuses the call \(WRONGTYPE\); a key that begins with agekey-sandbox: holds something else/,
  ],
  [
    'the records are of another version',
    [`set ${VERSION} 0.0.1`],
    NO_CHANGE,
    /holds records of agekey-sandbox 0\.0\.1, and this is 1\.0\.0; name another database/,
  ],
  [
    'the signing keys are damaged',
    [`hset ${KEYS} initial 1:{"RS256":{}}`],
    NO_CHANGE,
    /key agekey-sandbox:1\.0\.0:_keys:table:signing \(the signing keys\): a signing record is damaged at RS256/,
  ],
  [
    'it speaks no TLS',
    [],
    ['redis:', 'rediss:'],
    /; start Redis or Valkey there or, if it speaks no TLS, write redis:/,
  ],
  [
    'nothing listens there',
    [],
    ['//.*', '//user:secret@127.0.0.1:1'],
    /:1 cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1; start Redis or Valkey there, or give another address$/,
  ],
]

describeWith('redis-server', 'A start with a store', () => {
  const redis = useRedis()

  test.each(REFUSED)(
    'A start refuses a store in a line with a remedy: %s',
    async (_state, given, change, message) => {
      const [words, ...more] = given
      if (words) await redis.command(words, ...more)
      const refused = await open(redis.url.replace(new RegExp(change[0]), change[1])).catch(
        messageOf,
      )
      expect(refused).toMatch(message)
      expect(refused).toMatch(/^store: rediss?:\/\/127\.0\.0\.1:\d+/)
      expect(refused).not.toMatch(/\n|secret|not-it/)
    },
  )

  test('A start that is refused after it has opened its store leaves no connection there', async () => {
    await expect(createSandbox({ store: redis.url, persona: 'nobody' })).rejects.toThrow('nobody')
    const connections = async () =>
      String(await redis.command('client list type normal')).match(/^id=/gm)
    // That of the test itself.
    await expect.poll(connections).toHaveLength(1)
  })

  /**
   * Three replicas start at once on an empty store: the keys that they sign with, or why they do
   * not start.
   */
  const startThree = () => {
    const starts = ([0, 1, 2] as const).map((replica) => open(redis.url, replica))
    return Promise.all(starts.map((start) => start.then(({ kid }) => kid, String)))
  }
  const expectOneKey = async () => {
    const [kid, ...others] = await startThree()
    expect(kid).not.toContain('Error')
    expect(others).toEqual([kid, kid])
  }

  test('Three starts at once on a store agree on keys, also when its writes are held back for a moment', async () => {
    await redis.command('client pause 300 write')
    await expectOneKey()
  })

  test.each([
    ['the version', 'flushall'],
    ['the signing keys', `set ${VERSION} 1.0.0`],
  ])('Three starts agree after %s could not be written', async (what, given) => {
    await redis.command(given)
    await redis.command('config set maxmemory 1')
    for (const error of await startThree()) {
      expect(error).toMatch(
        /^Error: store: redis:.*: refuses the call \(OOM\); try again when it takes calls again$/,
      )
      expect(error).toContain(`(${what})`)
    }
    await redis.command('config set maxmemory 0')
    await expectOneKey()
  })

  test('A start says so when its store says nothing, or the host of its store is not known', async () => {
    redis.freeze()
    await expect(open(redis.url)).rejects.toThrow(
      /^store: redis:\S+ cannot be used: no answer within 2 seconds; start Redis or Valkey there, or give another address$/,
    )
    await expect(open('valkey://no-such-host.invalid')).rejects.toThrow(
      /^store: valkey:\/\/no-such-host\.invalid cannot be used: .*; correct the name of the host$/,
    )
  })

  test('A start says so when a TLS server closes the connection to its store, or something else answers', async () => {
    const closing = await serve((socket) => socket.once('data', () => socket.destroy()))
    await expect(open(`redis://${closing}`)).rejects.toThrow(
      /; write rediss:.* if it speaks TLS only/,
    )
    const other = await serve((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    await expect(open(`redis://${other}`)).rejects.toThrow(
      /^store: redis:\/\/127.*; if it is something else than Redis/,
    )
  })

  test('A start goes on while records of an earlier start cannot be replaced in the store', async () => {
    await open(redis.url)
    await redis.command('replicaof 127.0.0.1 1')
    await expect(open(redis.url)).resolves.toBeDefined()
  })

  test('A start accepts the socket file of a store', async () => {
    const { party } = await startReplica(`unix://${redis.socket}?db=2`)
    expect((await party.exchange(await party.obtainCode())).status).toBe(200)
    expect(await redis.command('info keyspace')).toContain('db2:')
  })

  test('A start refuses a socket file that does not exist', async () => {
    await expect(open(`unix://${redis.socket}.not`)).rejects.toThrow(
      /^store: unix:\/\/.*\.not cannot be used: .*ENOENT.*; there is no such socket file/,
    )
  })

  test('The address of a store by its socket is shown in the health', async () => {
    const { request } = await startReplica(`unix://${redis.socket}?db=2`)
    await redis.command('config set maxmemory 1')
    expect((await request.get('/_sandbox/health')).text).toContain(
      `the store at unix://${redis.socket}?db=2`,
    )
  })

  test('A sandbox names the key of a record that is damaged in its store', async () => {
    const { request, errors } = await startOn(await open(redis.url))
    const state = 'agekey-sandbox:1.0.0:default:state:table:state'
    const use = () =>
      request.get('/v1/oidc/use').query(useRequest({ sandbox_persona: 'adult-passport' }))
    await redis.command(`hset ${state} clock 1:{`)
    const refused = await use().set('Accept', 'application/json')
    const how = `the record under ${state}, field clock is damaged: it is no JSON; remove it there, or`
    const body = { error: 'server_error', error_description: expect.stringContaining(how) }
    expect(refused.status).toBe(500)
    expect(refused.body).toMatchObject(body)
    expect(errors).toHaveLength(1)
    await redis.command(`del ${state}`)
    expect((await use()).status).toBe(302)
    await redis.command(`rpush ${state} x`)
    const wrongType = await use().set('Accept', 'application/json')
    expect(wrongType.status).toBe(503)
    expect(wrongType.text).toContain('(WRONGTYPE); a key that begins')
  })

  test.each([
    ['queue', 'scenarios'],
    ['queue', 'expectations'],
    ['persona', 'personas'],
  ])(
    'A store loses a damaged row of the table %s by a reset, as GET %s says',
    async (kind, path) => {
      const stores = await open(redis.url)
      const { request, errors } = await startOn(stores)
      await stores.createRecords('default', createClock()).tables.put(kind, 'x', 7)
      const list = () => request.get(`/_sandbox/${path}`)
      const { body } = await list().expect(500)
      expect(body.error_description).toMatch(/damaged.*; reset the tenant, or empty the store/)
      await request.post('/_sandbox/reset').send({}).expect(204)
      await list().expect(200)
      expect(errors).toHaveLength(1)
    },
  )
})
