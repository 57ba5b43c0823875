import { expect, test } from 'vitest'
import * as z from 'zod'
import { createRelyingParty, type RelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedisProxy } from './redis-proxy.ts'
import { startRedis } from './redis-server.ts'
import { BASE_URL, control } from './replica.ts'

/** A sandbox whose connection is cut, and another one on the same Redis. */
interface Pair {
  readonly cut: TestSandbox & { readonly party: RelyingParty }
  readonly other: TestSandbox & { readonly party: RelyingParty }
}

/** A call that changes something, arranged before its connection is cut. */
interface CutCall {
  call(): Promise<void>
  /** What is so afterwards. */
  check(): Promise<void>
}

const issued = z.object({ access_token: z.string() })

const CASES: Readonly<Record<string, (pair: Pair) => Promise<CutCall>>> = {
  'a code gives a token, once': async ({ cut, other }) => {
    const code = await other.party.obtainCode()
    let token = ''
    return {
      async call() {
        token = issued.parse((await cut.party.exchange(code)).body).access_token
      },
      async check() {
        expect((await other.party.upgrade(token)).status).toBe(200)
        expect((await other.party.exchange(code)).status).toBe(400)
      },
    }
  },
  'a choice is taken, once': async ({ cut, other }) => {
    const page = await other.request.get('/v1/oidc/use').query(useRequest())
    const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const chosen = String(new URLSearchParams({ transaction, persona: 'adult-passport' }))
    return {
      call: async () => void (await cut.request.post('/v1/oidc/use/choice').send(chosen).expect(303)),
      check: async () => void (await other.request.post('/v1/oidc/use/choice').send(chosen).expect(410)),
    }
  },
  'an expectation decides, once': async ({ cut, other }) => {
    const expectation = { flow: 'use', outcome: 'access_denied' }
    await other.request.post(control('expectations')).send(expectation).expect(201)
    return {
      call: async () => void (await cut.request.get('/v1/oidc/use').query(useRequest()).expect(302)),
      check: async () => void (await other.request.get('/v1/oidc/use').query(useRequest()).expect(200)),
    }
  },
  'the clock moves, once': async ({ cut, other }) => ({
    call: async () => void (await cut.request.post(control('clock')).send({ advance: 91 }).expect(200)),
    async check() {
      expect((await other.request.get(control('clock'))).body).toMatchObject({ advanced_seconds: 91 })
    },
  }),
}

describeWith(
  'redis-server',
  'A connection that is cut when Redis has written and its answer is still under way',
  () => {
    test.each(Object.entries(CASES))('changes nothing for the caller: %s', async (_name, arrange) => {
      const redis = await startRedis()
      const proxy = await startRedisProxy(redis.url)
      const start = async (store: string) => {
        const sandbox = await startSandbox({ store, baseUrl: BASE_URL })
        return { ...sandbox, party: createRelyingParty(sandbox) }
      }
      const [cut, other] = await Promise.all([start(proxy.url), start(redis.url)])
      // From here Redis knows the script, so that the answer is that of the script.
      await cut.party.obtainRequestUri()
      const { call, check } = await arrange({ cut, other })
      proxy.loseAnswerTo('_commits:')
      await call()
      expect(proxy.lost()).toBe(1)
      await check()
    })
  },
)
