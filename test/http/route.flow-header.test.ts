import { expect, test } from 'vitest'
import { press, submit } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const party = createRelyingParty(sandbox)
const flowOf = ({ headers }: Answer): unknown => headers['x-agekey-sandbox-flow']
const use = async (changes: Readonly<Record<string, string>>) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

/** Calls of one flow, in their order. */
const JOURNEYS: Readonly<Record<string, () => Promise<readonly Answer[]>>> = {
  'a callback by redirect': async () => [await use({ sandbox_persona: 'teen-16' })],
  'a callback by form_post': async () => [await use({ sandbox_persona: 'teen-16', response_mode: 'form_post' })],
  async 'a choice page and the answer to its form'() {
    const page = await use({})
    return [page, await submit(sandbox, press(page.text, 'decline'))]
  },
  'a request that goes back refused': async () => [await use({ claims: '{}' })],
  'an error page': async () => [await use({ client_id: 'no-such-client' })],
  async 'E1, E4 and E5'() {
    const begun = await use({ scope: 'openid svc.upgrade', sandbox_persona: 'child-12' })
    const code = new URLSearchParams(new URL(begun.headers['location'] ?? '').hash.slice(1)).get('code') ?? ''
    const token = await party.exchange(code)
    return [begun, token, await party.upgrade(token.body.access_token), await party.exchange(code)]
  },
  async 'E2 and E3'() {
    const pushed = await party.push()
    const query = createRequest(pushed.body.request_uri, { sandbox_persona: 'no-age-key' })
    return [pushed, await sandbox.request.get('/v1/oidc/create').query(query)]
  },
}

test.each(Object.entries(JOURNEYS))('X-AgeKey-Sandbox-Flow names the journal’s flow in %s', async (_name, journey) => {
  await use({ sandbox_persona: 'adult-passport' })
  const answers = await journey()
  const flow = await sandbox.flows.last()
  expect(answers.map(flowOf)).toEqual(answers.map(() => flow?.id))
  expect(flow?.calls).toHaveLength(answers.length)
})

test('An answer that belongs to no flow names none', async () => {
  for (const path of [
    '/.well-known/jwks.json',
    '/v1/oidc/use/.well-known/openid-configuration',
    '/_sandbox/flows',
    '/',
  ]) {
    expect(flowOf(await sandbox.request.get(path)), path).toBeUndefined()
  }
})
