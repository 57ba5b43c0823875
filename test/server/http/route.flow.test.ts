import { expect, test } from 'vitest'
import { readError } from '../../support/error-body.ts'
import { press, submit } from '../../support/forms.ts'
import type { Answer } from '../../support/http-client.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { basic, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const rp = createRelyingParty(sandbox)

/**
 * The newest flow: its id, its page in the console, and its first answer as the journal holds it.
 */
async function recorded() {
  const { id = '', calls } = (await sandbox.flows.last()) ?? {}
  return {
    id,
    link: `${sandbox.baseUrl}/_sandbox/console/flows/${id}`,
    shown: JSON.stringify(calls?.[0]?.response),
  }
}

test('The error_description of a callback ends with a link to its flow', async () => {
  const { params } = await rp.use({ nonce: undefined })
  const { id, link, shown } = await recorded()
  expect(params['error_description']).toMatch(/^USE-08: nonce is missing\. Make a random nonce/)
  expect(params['error_description']?.split(' (flow ').at(-1)).toBe(`${id}: ${link})`)
  expect(decodeURIComponent(shown)).toContain(params['error_description'])
})

test('The JSON of a refused call has the link to its flow in error_uri, too', async () => {
  const body = readError(await rp.push({ client_secret: 'wrong' }))
  const { id, link, shown } = await recorded()
  expect(body.error_uri).toBe(link)
  expect(body.error_description).toContain(`(flow ${id}: ${link})`)
  expect(shown).toContain(link)
})

test('An error page links to its flow by the id', async () => {
  const query = useRequest({ client_id: 'no-such-client' })
  const { text } = await sandbox.request.get('/v1/oidc/use').query(query).expect(400)
  const { id, link } = await recorded()
  const attributes = `href="${link}" target="_top" data-testid="flow-link"`
  expect(text).toContain(
    `<a ${attributes}>Flow ${id} in the console: everything that this request sent</a>`,
  )
})

test('A refused call leads to the flow that it continues, in the console of its tenant', async () => {
  const { text } = await sandbox.request
    .get('/t/shop/v1/oidc/use')
    .set('Accept', 'application/json')
  expect(text).toContain(`${sandbox.baseUrl}/t/shop/_sandbox/console/flows/f1`)
  const code = await rp.obtainCode()
  await rp.exchange(code)
  const { error_uri: uri } = readError(await rp.exchange(code))
  expect(uri).toEqual((await recorded()).link)
  expect(await sandbox.flows.list()).toEqual([expect.anything()])
})

test('What an outcome decides is sent as a service sends it, without a link, like what belongs to no flow', async () => {
  const answer = await sandbox.request.get('/_sandbox/flows/none').set('Accept', 'application/json')
  expect(readError(answer)).not.toHaveProperty('error_uri')
  const { params } = await rp.use({ sandbox_outcome: 'access_denied' })
  expect(params['error']).toBe('access_denied')
  expect(params['error_description']).not.toContain('/_sandbox/')
})

const flowOf = ({ headers }: Answer): unknown => headers['x-agekey-sandbox-flow']
const use = async (changes: Readonly<Record<string, string>>) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

/** Calls of one flow, in their order. */
const JOURNEYS: Readonly<Record<string, () => Promise<readonly Answer[]>>> = {
  'a callback by form_post': async () => [
    await use({ sandbox_persona: 'teen-16', response_mode: 'form_post' }),
  ],
  async 'a choice page and the answer to its form'() {
    const page = await use({})
    return [page, await submit(sandbox, press(page.text, 'decline'))]
  },
  'a request that goes back refused': async () => [await use({ claims: '{}' })],
  async 'E1, E4 and E5'() {
    const begun = await use({ scope: 'openid svc.upgrade', sandbox_persona: 'child-12' })
    const code =
      new URLSearchParams(new URL(begun.headers['location'] ?? '').hash.slice(1)).get('code') ?? ''
    const token = await rp.exchange(code)
    return [begun, token, await rp.upgrade(token.body.access_token), await rp.exchange(code)]
  },
  async 'E2 and E3'() {
    const pushed = await rp.push()
    const query = createRequest(pushed.body.request_uri, { sandbox_persona: 'no-age-key' })
    return [pushed, await sandbox.request.get('/v1/oidc/create').query(query)]
  },
}

test.each(Object.entries(JOURNEYS))(
  'X-AgeKey-Sandbox-Flow names the journal’s flow in %s',
  async (_name, journey) => {
    await use({ sandbox_persona: 'adult-passport' })
    const answers = await journey()
    const flow = await sandbox.flows.last()
    expect(answers.map(flowOf)).toEqual(answers.map(() => flow?.id))
    expect(flow?.calls).toHaveLength(answers.length)
  },
)

test('An answer that belongs to no flow has no X-AgeKey-Sandbox-Flow', async () => {
  for (const path of ['/.well-known/jwks.json', '/_sandbox/flows', '/'])
    expect(flowOf(await sandbox.request.get(path)), path).toBeUndefined()
})

test('A refused call is summarized with the sentence of its first finding', async () => {
  await rp.use({ nonce: undefined, prompt: 'login' })
  const flow = expect.stringMatching(/^f\d+$/)
  const flowUrl = expect.stringContaining(`${sandbox.baseUrl}/_sandbox/console/flows/f`)
  expect(sandbox.calls).toEqual([
    {
      ...{
        method: 'GET',
        path: '/v1/oidc/use',
        status: 302,
        durationMs: expect.any(Number),
        tenant: 'default',
      },
      ...{ endpoint: 'E1', flow, flowUrl, findings: ['USE-08', 'USE-11'] },
      ...{
        client: 'ak_test_sandbox',
        error: 'invalid_request',
        rule: 'USE-08',
        message: 'nonce is missing',
      },
    },
  ])
})

test('A call that was answered is summarized without a reason', async () => {
  await rp.use({ sandbox_persona: 'teen-16', prompt: 'login' })
  expect(sandbox.calls[0]).toMatchObject({
    persona: 'teen-16',
    outcome: 'verified',
    findings: ['USE-11'],
  })
  expect(sandbox.calls[0]).not.toHaveProperty('message')
  await rp.use({ sandbox_outcome: 'jwks.no_keys' })
  expect(sandbox.calls[1]).toMatchObject({ persona: 'adult-passport', outcome: 'jwks.no_keys' })
})

test('The summary of a token call has the path with the tenant', async () => {
  const path = '/t/qa/v1/oidc/use/token'
  const call = sandbox.request.post(path).set('Authorization', basic('ak_test_sandbox', 'wrong'))
  await call.type('form').send({ code: 'c', grant_type: 'sk_test_sandbox' })
  expect(sandbox.calls[0]).toMatchObject({
    path,
    client: 'ak_test_sandbox',
    error: 'invalid_client',
    rule: 'TOK-02',
  })
})

test('The summary of a call holds no secret', async () => {
  await rp.use({ response_mode: 'sk_test_sandbox' })
  expect(sandbox.calls[0]).toMatchObject({
    rule: 'USE-06',
    message: expect.stringContaining('***'),
  })
  expect(JSON.stringify(sandbox.calls)).not.toContain('sk_test_sandbox')
})
