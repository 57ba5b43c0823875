import type { Sandbox } from '../../src/server/create-sandbox.ts'
import type { HttpClient } from './http-client.ts'
import { createRelyingParty } from './relying-party.ts'
import { createRequest, pushedRequest, useRequest } from './requests.ts'

const UPGRADE = 'openid svc.upgrade'

/** Makes one flow of each kind. @returns their ids, by what is special about each */
export async function recordFlows(sandbox: Sandbox & HttpClient): Promise<Map<string, string>> {
  const party = createRelyingParty(sandbox)
  const { request } = sandbox
  const use = (changes: Parameters<typeof useRequest>[0] = {}) => request.get('/v1/oidc/use').query(useRequest(changes))
  const flows = new Map<string, string>()
  const record = async (name: string, make: () => Promise<unknown>) => {
    await sandbox.clock.reset()
    await make()
    const flow = await sandbox.flows.last()
    if (flow) flows.set(name, flow.id)
  }

  await record('a teen by an expectation', async () => {
    await sandbox.next({ persona: 'teen-16' })
    await use({ state: `it's "quoted" \\" \\n #{x} \u2028` })
  })
  await record('form_post', () => party.use({ response_mode: 'form_post' }))
  await record('query', () => party.use({ response_mode: 'query', redirect_uri: 'http://localhost:3000/callback?a=b' }))
  await record('no age key', async () => {
    await sandbox.next({ persona: 'no-age-key' })
    await use({ can_create: 'true' })
  })
  await record('a choice on the page', async () => {
    const { text } = await use()
    const [, transaction = ''] = /name="transaction" value="([^"]*)"/.exec(text) ?? []
    await request
      .post('/v1/oidc/use/choice')
      .set('Sec-Fetch-Site', 'same-origin')
      .type('form')
      .send({ transaction, persona: 'teen-16', outcome: 'access_denied' })
  })
  await record('a spoiled token', async () => {
    await sandbox.next({ persona: 'adult-passport', outcome: 'id_token.expired' })
    await use()
  })
  await record('a user who waits', () => use())
  await record('a refused request', () => use({ nonce: undefined, redirect_uri: 'http://localhost:3000/other' }))
  await record('an unknown client', () => use({ client_id: 'nobody-knows-me' }))
  await record('an upgrade', async () => {
    const token = await party.obtainToken({ sandbox_persona: 'teen-16', claims: '{"age_thresholds":[18]}' })
    await party.upgrade(token)
  })
  await record('a use after the upgrade', async () => {
    await sandbox.next({ persona: 'teen-16' })
    await use()
  })
  await record('a token call that fails', async () => {
    const code = await party.obtainCode()
    await sandbox.next({ flow: 'token', outcome: 'token.500' })
    await party.exchange(code)
    await party.exchange(code)
  })
  await record('a token call that is dropped', async () => {
    const code = await party.obtainCode()
    await sandbox.next({ flow: 'token', outcome: 'token.dropped' })
    await party.exchange(code).catch(() => undefined)
  })
  await record('a code that nobody issued', () => party.exchange('no-such-code'))
  await record('a create', async () => party.create(await party.obtainRequestUri()))
  await record('an expired request_uri', async () => {
    const requestUri = await party.obtainRequestUri()
    await sandbox.clock.advance(91)
    await request.get('/v1/oidc/create').query(createRequest(requestUri))
  })
  await record('a code for a persona that was removed', async () => {
    const persona = { name: 'not-for-long', title: 'Not for long', purpose: 'A persona that is removed.' }
    const [teen] = (await sandbox.personas.list()).filter(({ name }) => name === 'teen-16')
    await sandbox.personas.put({ ...teen, ...persona })
    await sandbox.next({ persona: persona.name, outcome: 'code_issued' })
    await use({ scope: UPGRADE })
    await sandbox.personas.remove(persona.name)
  })
  await record('a form with a field twice', async () => {
    await sandbox.next({ persona: 'adult-passport', outcome: 'callback.state_twice' })
    await use({ response_mode: 'form_post' })
  })
  await record('a reply that is cut off', async () => {
    await sandbox.next({ flow: 'par', outcome: 'par.truncated' })
    await request
      .post('/v1/oidc/create/par')
      .type('form')
      .send(pushedRequest())
      .catch(() => undefined)
  })
  await record('a wrong secret', () =>
    request
      .post('/v1/oidc/create/par')
      .type('form')
      .send(pushedRequest({ client_secret: 'wrong' })),
  )
  await record('a frozen clock and a birthday', async () => {
    await sandbox.clock.freeze()
    await sandbox.clock.set('2031-02-03T04:05:06Z')
    await sandbox.next({ persona: 'turns-18-tomorrow' })
    await sandbox.clock.advance(2 * 86_400)
    await use()
  })
  await record('a persona of its own', async () => {
    await sandbox.personas.put({
      name: 'turns-18-in-three-days',
      title: "It's a birthday",
      purpose: 'A persona that no other sandbox has',
      age_key: {
        signals: [
          {
            method: 'id_doc_scan',
            age: { date_of_birth: 'today - 18y + 3d' },
            verified_at: 'now - 30d',
            provenance: '/veratad/roc',
          },
        ],
      },
    })
    await sandbox.next({ persona: 'turns-18-in-three-days' })
    await use({ scope: UPGRADE })
  })
  return flows
}
