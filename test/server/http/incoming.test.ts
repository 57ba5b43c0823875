import { expect, test } from 'vitest'
import { useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const { request, flows } = await shareSandbox()
const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const TOO_MANY =
  'parameters: 201 were sent, and at most 200 are read; send only those that the call knows, each once'
const GETS = ['/v1/oidc/use', '/v1/oidc/create', '/v1/oidc/use/.well-known/openid-configuration']
GETS.push('/.well-known/jwks.json', '/_sandbox/flows', '/_sandbox/console/personas')
const POSTS = [
  '/v1/oidc/create/par',
  '/v1/oidc/use/token',
  '/v1/svc/upgrade',
  '/v1/oidc/use/choice',
]
POSTS.push('/v1/oidc/use/language', '/_sandbox/console/force', '/_sandbox/demo/use')

const CALLS = [
  ...GETS.map((path) => ['get', path] as const),
  ...POSTS.map((path) => ['post', path] as const),
]
test.each(CALLS)(
  '%s %s with 201 parameters is refused, whatever else is wrong with it',
  async (method, path) => {
    const members = JSON.stringify(Object.fromEntries(new URLSearchParams(pairs(201))))
    const [type, text] = path.endsWith('upgrade') ? [JSON_TYPE, members] : [FORM, pairs(201)]
    const post = () => request.post(path).set('Content-Type', type).send(text)
    const call = method === 'get' ? request.get(`${path}?${pairs(201)}`) : post()
    const { status, body } = await call.set('Accept', JSON_TYPE)
    const error = { error: 'invalid_request', error_description: expect.stringContaining(TOO_MANY) }
    expect(status).toBe(400)
    expect(body).toMatchObject(error)
  },
)

test('A byte order mark before the form of a server is dropped, as it is before JSON', async () => {
  for (const path of ['/v1/oidc/create/par', '/v1/oidc/use/token']) {
    const { body } = await request
      .post(path)
      .set('Content-Type', FORM)
      .send('\uFEFFclient_id=nobody&code=%EF%BB%BFx')
    expect(body.findings.map(({ path }: { path: string }) => path)).not.toContainEqual(
      expect.stringContaining('\uFEFF'),
    )
    expect((await flows.last())?.calls.at(-1)?.parameters).toEqual({
      client_id: 'nobody',
      code: '\uFEFFx',
    })
  }
})

test('E1 answers too many parameters with a page, never a redirect', async () => {
  const query = `${new URLSearchParams(useRequest())}&${pairs(20_000)}`
  const { headers, text } = await request.get(`/v1/oidc/use?${query.slice(0, 60_000)}`).expect(400)
  expect(headers['location']).toBeUndefined()
  expect(text).toContain('Too many parameters')
  expect(Object.keys((await flows.last())?.calls[0]?.parameters ?? {})).toEqual(['refused'])
})
