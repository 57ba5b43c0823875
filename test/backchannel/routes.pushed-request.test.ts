import { describe, expect, test } from 'vitest'
import { readError, refusal } from '../support/error-body.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { ageSignal, pushedRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PATH = '/v1/oidc/create/par'

test('E2 answers 201 with a request_uri that lives 90 seconds, as JSON that is never stored', async () => {
  const answer = await createRelyingParty(await startSandbox()).push()
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    request_uri: expect.stringMatching(/^urn:svc:request:[A-Za-z0-9_-]{22,}$/),
    expires_in: 90,
  })
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(answer.headers['cache-control']).toContain('no-store')
})

describe('E2 refuses', () => {
  test('a wrong client_secret with 401, and a request that breaks a rule with 400', async () => {
    const rp = createRelyingParty(await startSandbox())
    const unauthenticated = refusal(await rp.push({ client_secret: 'wrong' }))
    expect(unauthenticated).toEqual({ status: 401, error: 'invalid_client', rules: ['PAR-02'] })
    const invalid = refusal(await rp.push({ state: undefined }))
    expect(invalid).toEqual({ status: 400, error: 'invalid_request', rules: ['PAR-09'] })
  })

  test.each([
    undefined,
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/x-www-form',
    '',
  ])('the content type %j with 415', async (type) => {
    const sandbox = await startSandbox()
    const body = Buffer.from(String(new URLSearchParams(pushedRequest())))
    const answer = await sandbox.request
      .post(PATH)
      .set(type === undefined ? {} : { 'Content-Type': type })
      .send(body)
    expect(refusal(answer)).toEqual({ status: 415, error: 'invalid_request', rules: ['PAR-01'] })
  })

  test('a body above 64 KiB with 413, and takes one just below', async () => {
    const { request } = await startSandbox()
    const body = String(new URLSearchParams(pushedRequest()))
    // Blanks behind the last field, the JSON of authorization_details: the other fields have a limit below that.
    const push = (length: number) => request.post('/v1/oidc/create/par').type('form').send(body.padEnd(length, '+'))
    expect(body).toMatch(/authorization_details=[^&]*$/)
    expect((await push(64 * 1024)).status).toBe(201)
    const answer = await push(64 * 1024 + 1)
    expect(answer.status).toBe(413)
    expect(readError(answer).error).toBe('invalid_request')
  })
})

test('E2 says what is wrong in one shape, names the place and what to do, and is never stored', async () => {
  const answer = await createRelyingParty(await startSandbox()).push({
    authorization_details: JSON.stringify([ageSignal(), ageSignal({ age: { years: 20, at_least_years: 18 } })]),
  })
  const body = readError(answer)
  expect(body.error_description).toMatch(/^SIG-05: /)
  expect(body.findings[0]).toMatchObject({ rule: 'SIG-05', level: 'error', path: 'authorization_details[1].age' })
  expect(answer.headers['cache-control']).toContain('no-store')
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
})

test.each(['APPLICATION/X-WWW-FORM-URLENCODED', 'application/x-www-form-urlencoded; charset=UTF-8'])(
  'E2 takes the content type %s',
  async (type) => {
    await (await startSandbox()).request
      .post(PATH)
      .set('Content-Type', type)
      .send(String(new URLSearchParams(pushedRequest())))
      .expect(201)
  },
)
