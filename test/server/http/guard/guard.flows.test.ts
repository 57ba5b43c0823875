import { expect, test } from 'vitest'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { pushedRequest, tokenRequest, useRequest } from '../../../support/requests.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const sandbox = await shareSandbox()
const { request } = sandbox
const party = createRelyingParty(sandbox)

type Headers = Readonly<Record<string, string>>

/** What a browser says of a call by a page of another site. */
const IMAGE: Headers = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
}
const FORM: Headers = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  Origin: 'https://evil.example',
}
const SCRIPT: Headers = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  Origin: 'https://evil.example',
}
const OLD_BROWSER: Headers = { Origin: 'https://evil.example' }
const FRAME: Headers = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  Origin: 'null',
}

/** Calls that begin a flow when a server makes them. */
const CALLS: Readonly<Record<string, (headers: Headers) => PromiseLike<{ status: number }>>> = {
  'a pushed request': (headers) =>
    request.post('/v1/oidc/create/par').set(headers).type('form').send(pushedRequest()),
  'a pushed request without a body': (headers) => request.post('/v1/oidc/create/par').set(headers),
  'a token call with an unknown code': (headers) =>
    request.post('/v1/oidc/use/token').set(headers).type('form').send(tokenRequest('unknown')),
  'an upgrade without a token': (headers) =>
    request.post('/v1/svc/upgrade').set(headers).send('{}'),
}
const PAGES = {
  'a form': FORM,
  'a script': SCRIPT,
  'an old browser': OLD_BROWSER,
  'a frame without an origin': FRAME,
}

test.each(
  Object.keys(CALLS).flatMap((call) =>
    Object.entries(PAGES).map(([page, headers]) => ({ call, page, headers })),
  ),
)('$page of a foreign page begins no flow by $call', async ({ call, headers }) => {
  const { status } = (await CALLS[call]?.(headers)) ?? {}
  expect(await sandbox.flows.list()).toEqual([])
  // The answer is the one that a server gets.
  expect((await CALLS[call]?.({}))?.status).toBe(status)
})

test.each(Object.keys(CALLS))('A server begins a flow by %s', async (call) => {
  await CALLS[call]?.({})
  expect(await sandbox.flows.list()).toHaveLength(1)
})

test('A script of an app on this machine begins a flow, so that its mistake is shown', async () => {
  const own = {
    'Sec-Fetch-Site': 'same-site',
    'Sec-Fetch-Mode': 'cors',
    Origin: 'http://localhost:3000',
  }
  await CALLS['a token call with an unknown code']?.(own)
  expect(await sandbox.flows.list()).toHaveLength(1)
})

test('A refused call of a foreign page names no flow', async () => {
  const refused = await request.post('/v1/oidc/create/par').set(SCRIPT).type('form').send({})
  expect(refused.status).toBe(401)
  expect(refused.body).not.toHaveProperty('error_uri')
  expect(refused.headers['x-agekey-sandbox-flow']).toBeUndefined()
})

test('A token call of a foreign page with a code of a flow is recorded in that flow', async () => {
  const code = await party.obtainCode()
  await request.post('/v1/oidc/use/token').set(SCRIPT).type('form').send(tokenRequest(code))
  const flows = await sandbox.flows.list()
  expect(flows).toHaveLength(1)
  expect(flows[0]?.calls).toMatchObject([{ endpoint: 'E1' }, { endpoint: 'E4' }])
})

test('Images of a foreign page push no flow out of the journal', async () => {
  await party.use()
  const [before] = await sandbox.flows.list()
  const paths = [
    ...[
      '/_sandbox/trap/ID',
      '/.well-known/jwks.json?ID',
      '/v1/oidc/use/.well-known/openid-configuration?n=ID',
    ],
    ...[
      '/v1/oidc/create/.well-known/openid-configuration?sandbox_outcome=discovery.redirect&n=ID',
      '/nothing/ID',
    ],
    ...[
      `/v1/oidc/use?${new URLSearchParams(useRequest())}&n=ID`,
      '/v1/oidc/create?request_uri=ID',
      '/?ID',
    ],
    ...[
      '/v1/oidc/use/token?code=ID',
      '/v1/oidc/create/par?ID',
      '/v1/svc/upgrade?ID',
      '/_sandbox/health?ID',
    ],
  ]
  for (const [index, path] of paths.entries())
    await request.get(path.replace('ID', `id-${index}`)).set(IMAGE)
  const flows = await sandbox.flows.list()
  expect(flows).toHaveLength(1)
  expect(flows[0]?.id).toBe(before?.id)
})
