import { expect, test } from 'vitest'
import { useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const { request, flows } = await shareSandbox()
const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const TOO_MANY = 'parameters: 201 were sent, and at most 200 are read; send only those that the call knows, each once'

test.each([
  ['get', '/v1/oidc/use'],
  ['get', '/v1/oidc/create'],
  ['get', '/v1/oidc/use/.well-known/openid-configuration'],
  ['get', '/.well-known/jwks.json'],
  ['get', '/_sandbox/flows'],
  ['get', '/_sandbox/console/personas'],
  ['post', '/v1/oidc/create/par'],
  ['post', '/v1/oidc/use/token'],
  ['post', '/v1/svc/upgrade'],
  ['post', '/v1/oidc/use/choice'],
  ['post', '/v1/oidc/use/language'],
  ['post', '/_sandbox/console/clock'],
  ['post', '/_sandbox/demo/use'],
] as const)('%s %s with 201 parameters is refused, whatever else is wrong with it', async (method, path) => {
  const isJson = path.endsWith('upgrade')
  const members = JSON.stringify(Object.fromEntries(new URLSearchParams(pairs(201))))
  const call =
    method === 'get'
      ? request.get(`${path}?${pairs(201)}`)
      : request
          .post(path)
          .set('Content-Type', isJson ? JSON_TYPE : FORM)
          .send(isJson ? members : pairs(201))
  const { status, body } = await call.set('Accept', JSON_TYPE)
  const error = { error: 'invalid_request', error_description: expect.stringContaining(TOO_MANY) }
  expect([status, body]).toMatchObject([400, error])
})

test('E1 with too many parameters answers an error page, never a redirect, and records the number alone', async () => {
  const query = `${new URLSearchParams(useRequest())}&${pairs(20_000)}`
  const { headers, text } = await request.get(`/v1/oidc/use?${query.slice(0, 60_000)}`).expect(400)
  expect([headers['location'], text]).toEqual([undefined, expect.stringContaining('Too many parameters')])
  expect(Object.keys((await flows.last())?.calls[0]?.parameters ?? {})).toEqual(['refused'])
})
