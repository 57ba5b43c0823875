import { expect, test } from 'vitest'
import { OUTCOMES, rowId } from '../../src/sandbox/outcomes/catalogue.ts'
import { readingId } from '../../src/sandbox/readings/reading.ts'
import { READINGS } from '../../src/sandbox/readings/readings.ts'
import { CALLS, type CallName } from '../../src/service/oidc/endpoints.ts'
import {
  ageSignal,
  basic,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

/** The same seed and a clock that stands make two answers to one request the same bytes. */
const sandbox = await shareSandbox({ seed: 1 })
const NOW = '2026-01-15T10:00:00Z'

type Headers = Readonly<Record<string, string>>

const get = (path: string, query: Headers, headers: Headers) =>
  fetch(`${sandbox.baseUrl}${path}?${new URLSearchParams(query)}`, { headers, redirect: 'manual' })
const post = (path: string, body: BodyInit, headers: Headers) =>
  fetch(`${sandbox.baseUrl}${path}`, { method: 'POST', body, headers })

const use = (query: Headers, headers: Headers) => get('/v1/oidc/use', useRequest(query), headers)
const push = (headers: Headers) =>
  post('/v1/oidc/create/par', new URLSearchParams(pushedRequest()), headers)
const ADULT = { 'X-Sandbox-Persona': 'adult-passport' }
const CHILD = { 'X-Sandbox-Persona': 'child-12' }

async function exchange(headers: Headers) {
  const location = (await use({ scope: 'openid svc.upgrade' }, CHILD)).headers.get('location') ?? ''
  const code = new URLSearchParams(location.split('#')[1]).get('code') ?? ''
  const credentials = { Authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }
  return post('/v1/oidc/use/token', new URLSearchParams(tokenRequest(code)), {
    ...credentials,
    ...headers,
  })
}

/**
 * Requests that go well, by the flow that outcomes name; each is sent with headers that may force
 * an outcome.
 */
const REQUESTS: Readonly<Record<CallName, readonly ((headers: Headers) => Promise<Response>)[]>> = {
  use: [
    (headers) => use({}, { ...ADULT, ...headers }),
    (headers) => use({}, { ...CHILD, ...headers }),
    (headers) => use({ scope: 'openid svc.upgrade' }, { ...CHILD, ...headers }),
    (headers) => use({ can_create: 'true' }, { 'X-Sandbox-Persona': 'no-age-key', ...headers }),
  ],
  create: [
    async (headers) => {
      const { request_uri: requestUri } = await (await push({})).json()
      return get('/v1/oidc/create', createRequest(requestUri), {
        'X-Sandbox-Persona': 'no-age-key',
        ...headers,
      })
    },
  ],
  par: [push],
  token: [exchange],
  upgrade: [
    async (headers) => {
      const { access_token: token } = await (await exchange({})).json()
      const body = JSON.stringify({
        authorization_details: [ageSignal({ verified_at: '2026-01-14' })],
      })
      const type = { 'Content-Type': 'application/json' }
      return post('/v1/svc/upgrade', body, {
        Authorization: `Bearer ${token}`,
        ...type,
        ...headers,
      })
    },
  ],
  discovery: [(headers) => get('/v1/oidc/use/.well-known/openid-configuration', {}, headers)],
  jwks: [(headers) => get('/.well-known/jwks.json', {}, headers)],
}

/**
 * What a client gets for each request of a flow; nothing for a request that cannot have the
 * outcome.
 */
async function answersOf(
  flow: CallName,
  headers: Headers = {},
): Promise<readonly (string | undefined)[]> {
  const answers: (string | undefined)[] = []
  for (const send of REQUESTS[flow]) {
    await sandbox.reset()
    await sandbox.clock.set(NOW)
    await sandbox.clock.freeze()
    const response = await send(headers)
    const parts = [
      response.status,
      response.headers.get('location'),
      response.headers.get('content-type'),
    ]
    const text = await response.text().catch(() => 'cut off')
    answers.push(text.includes('is not possible') ? undefined : [...parts, text].join('\n'))
  }
  return answers
}

test('No variant of a reading makes an answer that a row of the catalogue calls wrong', async () => {
  await sandbox.configure({ slowReplySeconds: 0 })
  const wrong = new Map<string, string>()
  for (const row of OUTCOMES.filter(
    ({ correctClient, seam, apply }) => correctClient === 'refuse' && apply && seam,
  )) {
    const answers = await answersOf(row.flow, { 'X-Sandbox-Outcome': row.name }).catch(() => [])
    for (const [index, answer] of answers.entries())
      if (answer !== undefined) wrong.set(`${row.flow} ${index}\n${answer}`, rowId(row))
  }
  expect(wrong.size).toBeGreaterThan(200)
  const found: string[] = []
  let changes = 0
  const usual = new Map<CallName, readonly (string | undefined)[]>()
  for (const flow of CALLS) usual.set(flow, await answersOf(flow))
  for (const { name, variants } of READINGS)
    for (const variant of variants) {
      await sandbox.configure({ readings: { [name]: variant.name } })
      for (const flow of CALLS)
        for (const [index, answer] of (await answersOf(flow)).entries()) {
          if (answer !== usual.get(flow)?.[index]) changes += 1
          const row = wrong.get(`${flow} ${index}\n${answer}`)
          if (row) found.push(`${readingId(name, variant.name)} is ${row}`)
        }
      await sandbox.configure({ readings: null })
    }
  expect(found).toEqual([])
  expect(changes).toBeGreaterThan(40)
}, 120_000)
