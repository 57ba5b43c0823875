import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROVENANCE_PATH } from '../../../src/service/age/vocabulary.ts'
import { signingAlgOf } from '../../../src/service/oidc/id-token.ts'
import {
  DEFAULT_LIFETIMES,
  DEFAULT_PLATFORMS,
  DEFAULT_POLICY,
  DEFAULT_PROVENANCE_ALLOWLIST,
  POLICY_POINTS,
  type Policy,
} from '../../../src/service/oidc/policy.ts'
import { lifetimesSchema, SIGNING_ALGORITHMS } from '../../../src/service/oidc/ports.ts'
import { findCode } from '../../../src/service/oidc/token.ts'
import { headerOf } from '../../support/id-tokens.ts'
import { createProvider } from '../../support/provider.ts'
import { createService, DECLINED, refusalOf, refused } from '../../support/service.ts'

const serviceWith = (policy: Partial<Policy>) =>
  createService(createProvider({ policy: { ...DEFAULT_POLICY, ...policy } }))

test('A code serves two exchanges where its use is repeated', async () => {
  const service = serviceWith({ codeUse: 'repeated', codeSeconds: 30 })
  const code = await service.obtainCode()
  for (const { response } of [await service.exchange(code), await service.exchange(code)])
    await service.upgrade(response.access_token)
})

test('A code lives the seconds of the decision', async () => {
  const service = serviceWith({ codeUse: 'repeated', codeSeconds: 30 })
  const code = await service.obtainCode()
  service.provider.clock.advance(30)
  const { message } = await refusalOf(() => service.exchange(code))
  expect(message).toBe(
    'TOK-06: the code expired 0 seconds ago by the sandbox clock; it lives 30 seconds',
  )
  expect((await findCode(code, service.provider))?.record.state).toBe('state-1')
})

test('A request_uri serves two decisions where its use is repeated', async () => {
  const service = serviceWith({ requestUriUse: 'repeated' })
  const requestUri = await service.obtainRequestUri()
  for (const decision of [DECLINED, { kind: 'created', holder: 'adult' } as const]) {
    const { params } = await service.create(requestUri, {}, decision)
    expect(params['error']).toBe(decision.kind === 'error' ? 'access_denied' : undefined)
  }
})

test('An access token serves one upgrade where its use is single', async () => {
  const service = serviceWith({ accessTokenUse: 'single' })
  const token = await service.obtainToken()
  const [first, second] = await Promise.allSettled([service.upgrade(token), service.upgrade(token)])
  expect(first?.status).toBe('fulfilled')
  expect(second?.status).toBe('rejected')
  const USED_UP = {
    status: 401,
    code: 'invalid_token',
    message: 'UPG-03: the access token has served its one upgrade',
    headers: { 'WWW-Authenticate': 'Bearer realm="agekey-sandbox", error="invalid_token"' },
    findings: [{ rule: 'UPG-03', path: 'Authorization' }],
  }
  expect(second).toMatchObject({ reason: USED_UP })
  expect(await refusalOf(() => service.upgrade(token))).toMatchObject(USED_UP)
  expect(await refused(() => service.upgrade('guess'))).toMatchObject({ rules: ['UPG-03'] })
})

test('A request_uri that expired before the choice is answered by a page where that is decided', async () => {
  const service = serviceWith({ unusableRequestUri: 'page' })
  const [used, late] = [await service.obtainRequestUri(), await service.obtainRequestUri()]
  const begun = await service.create(
    used,
    {},
    { kind: 'error', error: 'access_denied', description: 'x' },
  )
  expect(begun.params).toMatchObject({ error: 'access_denied' })
  const page = { status: 400, error: 'invalid_request_uri' }
  expect(await refused(() => service.create(used))).toEqual({ ...page, rules: ['CRE-10'] })
  service.provider.clock.advance(90)
  expect(await refused(() => service.create(late))).toEqual({ ...page, rules: ['CRE-09'] })
})

test('A request_uri that expires during the choice is answered by a page where that is decided', async () => {
  const service = serviceWith({ unusableRequestUri: 'page' })
  const unusable = {
    kind: 'error',
    error: 'invalid_request_uri',
    description: 'CRE-09: it expired',
  } as const
  const other = await service.obtainRequestUri()
  const { status, message, title } = await refusalOf(() => service.create(other, {}, unusable))
  expect(status).toBe(400)
  expect(message).toBe('CRE-09: it expired')
  expect(title).toBe('This request cannot be answered')
})

test('Errors go back as invalid_request where their codes are general, but for those of the user', async () => {
  const service = serviceWith({ errorCodes: 'general' })
  const requestUri = await service.obtainRequestUri()
  expect((await service.use({ scope: 'email' })).params).toMatchObject({ error: 'invalid_request' })
  expect((await service.use({}, DECLINED)).params).toMatchObject({ error: 'access_denied' })
  expect((await service.create('urn:svc:request:x')).params).toMatchObject({
    error: 'invalid_request',
  })
  const unusable = { kind: 'error', error: 'invalid_request_uri', description: 'x' } as const
  expect((await service.create(requestUri, {}, unusable)).params).toMatchObject({
    error: 'invalid_request',
  })
})

test('Errors go back without a description where errors are not described', async () => {
  const service = serviceWith({ errorDescription: 'absent' })
  const error = { error: 'access_denied', state: 'state-1' }
  expect((await service.use({}, DECLINED)).params).toEqual(error)
  expect((await service.create(await service.obtainRequestUri(), {}, DECLINED)).params).toEqual(
    error,
  )
  expect((await service.use({ nonce: undefined })).params).toEqual({
    ...error,
    error: 'invalid_request',
  })
  expect((await service.create('x')).params).toEqual({ error: 'invalid_request_uri' })
})

test('An id_token is signed by the algorithm that is decided, else by that of its client', async () => {
  expect(headerOf(await serviceWith({ signingAlg: 'ES256' }).use()).alg).toBe('ES256')
  const { provider } = createService()
  expect(signingAlgOf('gone', provider)).toBe('RS256')
  const client = provider.clients.find('ak_test_sandbox')
  const clients = { ids: [], find: () => client && ({ ...client, signingAlg: 'ES256' } as const) }
  expect(headerOf(await createService({ ...provider, clients }).use()).alg).toBe('ES256')
})

test('Each decision has a point of its own', () => {
  const points = POLICY_POINTS.map(({ point }) => point)
  expect(points).toEqual([...new Set(points)])
  expect(points.length).toBeGreaterThan(20)
})

test('Each decision is explained by one sentence', () => {
  const unsaid = POLICY_POINTS.filter(
    ({ point, decision }) => !/^\w[^.]*$/.test(point) || !/^\w.{10,}\.$/.test(decision),
  )
  expect(unsaid).toEqual([])
})

test('The default lifetimes are those of the specification', () => {
  const lifetimes = { requestUri: 90, code: 600, idToken: 600, accessToken: 10_800 }
  expect(lifetimesSchema.parse(DEFAULT_LIFETIMES)).toEqual(lifetimes)
})

test('The default allowlist has sixteen provenance paths', () => {
  expect(
    new Set(DEFAULT_PROVENANCE_ALLOWLIST.filter((path) => PROVENANCE_PATH.test(path))).size,
  ).toBe(16)
})

test('The default platforms are five words', () => {
  expect(new Set(DEFAULT_PLATFORMS.filter((name) => /^\w+$/.test(name)))).toHaveProperty('size', 5)
})

test('RS256 is the first of the signing algorithms', () => {
  expect(SIGNING_ALGORITHMS).toEqual(['RS256', 'ES256'])
})

const file = (path: string) => new URL(`../../../${path}`, import.meta.url)
/** Rows of five cells: the table of what is not shown has three. */
const rows = readFileSync(file('docs/maintainers/decisions.md'), 'utf8')
  .split('\n## What the specification does not show\n')
  .flatMap((part, index) => (index === 0 ? [] : part.split('\n## ').slice(1)))
  .flatMap((section) => section.split('\n'))
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Point '))
  .map((line) => line.slice(2, -2).split(' | '))

test('No row of docs/maintainers/decisions.md has an empty cell', () => {
  expect(rows.length).toBeGreaterThan(150)
  expect(
    rows.filter((cells) => cells.length !== 5 || cells.some((cell) => cell.trim() === '')),
  ).toEqual([])
})

const places = rows.map(([point = '', , , , where = '']) => [point, where])

test.each(places)('The decision on "%s" is made at %s', (_point, where) => {
  const [, name, path = ''] = /^(?:`([^`]+)` in )?`([^`]+)`$/.exec(where) ?? []
  expect(existsSync(file(path)), path).toBe(true)
  if (name !== undefined)
    expect(readFileSync(file(path), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`))
})
