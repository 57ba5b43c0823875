import { describe, expect, test } from 'vitest'
import { press, submit } from '../support/forms.ts'
import type { Answer } from '../support/http-client.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createRequest, useRequest } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const flowOf = ({ headers }: Answer): unknown => headers['x-agekey-sandbox-flow']

const authorize = (sandbox: TestSandbox, changes: Readonly<Record<string, string>>) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest(changes))

/** Calls of one flow, in their order. */
const JOURNEYS: Readonly<Record<string, (sandbox: TestSandbox) => Promise<readonly Answer[]>>> = {
  'a callback by redirect': async (sandbox) => [await authorize(sandbox, { sandbox_persona: 'teen-16' })],
  'a callback by form_post': async (sandbox) => [
    await authorize(sandbox, { sandbox_persona: 'teen-16', response_mode: 'form_post' }),
  ],
  'a choice page and the answer to its form': async (sandbox) => {
    const page = await authorize(sandbox, {})
    return [page, await submit(sandbox, press(page.text, 'decline'))]
  },
  'a request that goes back refused': async (sandbox) => [await authorize(sandbox, { claims: '{}' })],
  'an error page': async (sandbox) => [await authorize(sandbox, { client_id: 'no-such-client' })],
  'E1, E4 and E5': async (sandbox) => {
    const party = createRelyingParty(sandbox)
    const begun = await authorize(sandbox, { scope: 'openid svc.upgrade', sandbox_persona: 'child-12' })
    const code = new URLSearchParams(new URL(begun.headers['location'] ?? '').hash.slice(1)).get('code') ?? ''
    const token = await party.exchange(code)
    return [begun, token, await party.upgrade(token.body.access_token), await party.exchange(code)]
  },
  'E2 and E3': async (sandbox) => {
    const pushed = await createRelyingParty(sandbox).push()
    const query = createRequest(pushed.body.request_uri, { sandbox_persona: 'no-age-key' })
    return [pushed, await sandbox.request.get('/v1/oidc/create').query(query)]
  },
}

describe('X-AgeKey-Sandbox-Flow names the flow of the journal in', () => {
  test.each(Object.entries(JOURNEYS))('%s', async (_name, journey) => {
    const sandbox = await startSandbox()
    await authorize(sandbox, { sandbox_persona: 'adult-passport' })
    const answers = await journey(sandbox)
    const flow = await sandbox.flows.last()
    expect(answers.map(flowOf)).toEqual(answers.map(() => flow?.id))
    expect(flow?.calls).toHaveLength(answers.length)
  })
})

test.each(['/.well-known/jwks.json', '/v1/oidc/use/.well-known/openid-configuration', '/_sandbox/flows', '/'])(
  'An answer that belongs to no flow names none: %s',
  async (path) => {
    expect(flowOf(await (await startSandbox()).request.get(path))).toBeUndefined()
  },
)
