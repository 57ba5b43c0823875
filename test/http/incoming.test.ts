import { describe, expect, it } from 'vitest'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')
const members = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n])))

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const TOO_MANY = 'parameters: 201 were sent, and at most 200 are read; send only those that the call knows, each once'

describe('a request with 201 parameters', () => {
  it.each([
    ['E1', '/v1/oidc/use'],
    ['E3', '/v1/oidc/create'],
    ['discovery', '/v1/oidc/use/.well-known/openid-configuration'],
    ['the key set', '/.well-known/jwks.json'],
    ['a list of the control API', '/_sandbox/flows'],
    ['a page of the console', '/_sandbox/console/personas'],
  ])('is refused by %s, however it is called', async (_, path) => {
    const sandbox = await startSandbox()
    const { status, body } = await sandbox.request.get(`${path}?${pairs(201)}`).set('Accept', JSON_TYPE)
    expect([status, body]).toMatchObject([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining(TOO_MANY) },
    ])
  })

  it.each([
    ['E2', '/v1/oidc/create/par', FORM],
    ['E4', '/v1/oidc/use/token', FORM],
    ['E5', '/v1/svc/upgrade', JSON_TYPE],
    ['the choice', '/v1/oidc/use/choice', FORM],
    ['the menu of languages', '/v1/oidc/use/language', FORM],
    ['a form of the console', '/_sandbox/console/clock', FORM],
    ['a form of the demo', '/_sandbox/demo/use', FORM],
  ])('is refused by %s, whatever else is wrong with it', async (_, path, type) => {
    const sandbox = await startSandbox()
    const sent = type === FORM ? pairs(201) : members(201)
    const { status, body } = await sandbox.request
      .post(path)
      .set({ 'Content-Type': type, Accept: JSON_TYPE })
      .send(sent)
    expect([status, body]).toMatchObject([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining(TOO_MANY) },
    ])
  })

  it('gets the page of an error at E1, never a redirect, and is recorded by the number alone', async () => {
    const sandbox = await startSandbox()
    const query = `${new URLSearchParams(useRequest())}&${pairs(20_000)}`
    const { status, headers, text } = await sandbox.request.get(`/v1/oidc/use?${query.slice(0, 60_000)}`)
    expect([status, headers['location']]).toEqual([400, undefined])
    expect(text).toContain('Too many parameters')
    const flow = await sandbox.flows.last()
    expect(Object.keys(flow?.calls[0]?.parameters ?? {})).toEqual(['refused'])
  })
})
