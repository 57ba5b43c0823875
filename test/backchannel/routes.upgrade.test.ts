import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, claims } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/svc/upgrade'
const DETAILS = { authorization_details: [ageSignal()] }

test('E5 answers 200 with the JSON string OK', async () => {
  const rp = createRelyingParty(await startSandbox())
  const answer = await rp.upgrade(await rp.obtainToken())
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('"OK"')
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
})

test('E5 adds the signals to the age key that the token names: the next Use is true', async () => {
  const rp = createRelyingParty(await startSandbox())
  await rp.upgrade(await rp.obtainToken({ sandbox_persona: 'child-12' }))
  expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({ 21: true })
  expect(idTokenOf(await rp.use({ sandbox_persona: 'teen-14' })).age_thresholds).toMatchObject({ 16: false })
})

test('E5 keeps the signals that the age key had', async () => {
  const rp = createRelyingParty(await startSandbox())
  const over200 = { claims: claims({ age_thresholds: [150] }), sandbox_persona: 'adult-passport' }
  await rp.upgrade(await rp.obtainToken(over200), [ageSignal({ age: { years: 12 } })])
  expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
})

test('E5 lets the oldest signal go when an age key has 50', async () => {
  const sandbox = await startSandbox()
  const rp = createRelyingParty(sandbox)
  const token = await rp.obtainToken({ claims: claims({ age_thresholds: [150] }), sandbox_persona: 'adult-passport' })
  const ten = Array.from({ length: 10 }, () => ageSignal({ age: { years: 12 } }))
  for (const _call of [1, 2, 3, 4]) await rp.upgrade(token, ten)
  await rp.upgrade(token, ten.slice(1))
  expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 21: true })
  await rp.upgrade(token, ten.slice(9))
  expect(idTokenOf(await rp.use()).age_thresholds).toMatchObject({ 13: false, 21: false })
  expect((await sandbox.personas.get('adult-passport')).age_key?.signals).toHaveLength(50)
})

describe('E5 takes an access token', () => {
  test('until the age key that it names is replaced', async () => {
    const rp = createRelyingParty(await startSandbox())
    const token = await rp.obtainToken({ sandbox_persona: 'child-12' })
    await rp.create(await rp.obtainRequestUri(), { sandbox_persona: 'child-12' })
    expect(refusal(await rp.upgrade(token))).toEqual({ status: 401, error: 'invalid_token', rules: ['UPG-04'] })
  })

  test('until the persona that held the age key is removed', async () => {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const token = await rp.obtainToken({ sandbox_persona: 'child-12' })
    await sandbox.personas.remove('child-12')
    expect(refusal(await rp.upgrade(token))).toMatchObject({ status: 401, error: 'invalid_token', rules: ['UPG-04'] })
  })

  test('of its own: the token of one age key does not touch another one', async () => {
    const rp = createRelyingParty(await startSandbox())
    await rp.upgrade(await rp.obtainToken({ sandbox_persona: 'child-12' }))
    expect(idTokenOf(await rp.use({ sandbox_persona: 'teen-16' })).age_thresholds).toMatchObject({ 18: false })
  })
})

describe('E5 answers 401 invalid_token with WWW-Authenticate: Bearer to', () => {
  test.each([
    ['no Authorization', undefined, 'UPG-02'],
    ['another scheme', 'Basic YWJj', 'UPG-02'],
    ['no token', 'Bearer', 'UPG-02'],
    ['a token with blanks', 'Bearer a b', 'UPG-02'],
    ['an unknown token', 'Bearer unknown', 'UPG-03'],
    ['a name of every object', 'Bearer constructor', 'UPG-03'],
  ])('%s', async (_name, authorization, rule) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization }
    const answer = await (await startSandbox()).request.post(PATH).set(headers).send(DETAILS)
    expect(refusal(answer)).toEqual({ status: 401, error: 'invalid_token', rules: [rule] })
    const challenge = answer.headers['www-authenticate']
    expect(challenge).toMatch(/^Bearer/)
    // RFC 6750 section 3.1: no error code for a request without any credentials.
    expect(challenge?.includes('error=')).toBe(authorization !== undefined)
  })

  test('an access token in the body or in the query', async () => {
    const sandbox = await startSandbox()
    const token = await createRelyingParty(sandbox).obtainToken()
    const inBody = await sandbox.request.post(PATH).send({ ...DETAILS, access_token: token })
    const inQuery = await sandbox.request.post(`${PATH}?access_token=${token}`).send(DETAILS)
    expect([inBody.status, inQuery.status]).toEqual([401, 401])
  })
})

describe('E5 refuses', () => {
  const authorized = async () => {
    const sandbox = await startSandbox()
    const Authorization = `Bearer ${await createRelyingParty(sandbox).obtainToken()}`
    const headers = { Authorization, 'Content-Type': 'application/json' }
    return { send: (body: string) => sandbox.request.post(PATH).set(headers).send(body) }
  }

  test.each([undefined, 'application/x-www-form-urlencoded', 'text/json'])(
    'the content type %j with 415',
    async (type) => {
      const headers = type === undefined ? {} : { 'Content-Type': type }
      const answer = await (await startSandbox()).request
        .post(PATH)
        .set(headers)
        .send(Buffer.from(JSON.stringify(DETAILS)))
      expect(refusal(answer)).toEqual({ status: 415, error: 'invalid_request', rules: ['UPG-01'] })
    },
  )

  test('a body above 64 KiB with 413', async () => {
    const answer = await (await authorized()).send(JSON.stringify({ padding: 'x'.repeat(64 * 1024) }))
    expect(answer.status).toBe(413)
    expect(readError(answer).error).toBe('invalid_request')
  })

  test('bytes that are not UTF-8', async () => {
    const sandbox = await startSandbox()
    const request = sandbox.request.post(PATH).set('Content-Type', 'application/json')
    request.write(Buffer.from([0x7b, 0xff, 0x7d]))
    const answer = await request
    expect(refusal(answer)).toMatchObject({ status: 400, error: 'invalid_request', rules: ['UPG-05'] })
  })
})

test('E5 takes application/json with a charset', async () => {
  const sandbox = await startSandbox()
  const Authorization = `Bearer ${await createRelyingParty(sandbox).obtainToken()}`
  const headers = { Authorization, 'Content-Type': 'Application/JSON; charset=utf-8' }
  await sandbox.request.post(PATH).set(headers).send(JSON.stringify(DETAILS)).expect(200)
})
