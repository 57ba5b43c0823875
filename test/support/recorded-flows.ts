import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { press, submit } from './forms.ts'
import type { HttpClient } from './http-client.ts'
import { createRelyingParty } from './relying-party.ts'
import { type Changes, createRequest, useRequest } from './requests.ts'

const UPGRADE = 'openid svc.upgrade'

/** Makes one flow of each kind. @returns their ids, by what is special about each */
export async function recordFlows(sandbox: Sandbox & HttpClient): Promise<Map<string, string>> {
  const party = createRelyingParty(sandbox)
  const { request } = sandbox
  const use = (changes: Changes = {}) => request.get('/v1/oidc/use').query(useRequest(changes))
  const flows = new Map<string, string>()
  const record = async (name: string, make: () => Promise<unknown>) => {
    await sandbox.clock.reset()
    await make()
    const flow = await sandbox.flows.last()
    if (flow) flows.set(name, flow.id)
  }

  const decided = (
    name: string,
    decision: Parameters<typeof sandbox.next>[0],
    changes: Changes = {},
  ) =>
    record(name, async () => {
      await sandbox.next(decision)
      await use(changes)
    })

  await decided(
    'a teen by an expectation',
    { persona: 'teen-16' },
    { state: `it's "quoted" \\" \\n #{x} \u2028` },
  )
  await record('form_post', () => party.use({ response_mode: 'form_post' }))
  await record('query', () =>
    party.use({ response_mode: 'query', redirect_uri: 'http://localhost:3000/callback?a=b' }),
  )
  await decided('no age key', { persona: 'no-age-key' }, { can_create: 'true' })
  await record('a choice on the page', async () => {
    const form = press((await use()).text, 'persona-teen-16')
    form.fields.set('outcome', 'access_denied')
    await submit(sandbox, form)
  })
  await decided('a spoiled token', { persona: 'adult-passport', outcome: 'id_token.expired' })
  await record('a user who waits', () => use())
  await record('a refused request', () =>
    use({ nonce: undefined, redirect_uri: 'http://localhost:3000/other' }),
  )
  await record('an unknown client', () => use({ client_id: 'nobody-knows-me' }))
  await record('an upgrade', async () => {
    await party.upgrade(
      await party.obtainToken({ sandbox_persona: 'teen-16', claims: '{"age_thresholds":[18]}' }),
    )
  })
  await decided('a use after the upgrade', { persona: 'teen-16' })
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
    const persona = {
      name: 'not-for-long',
      title: 'Not for long',
      purpose: 'A persona that is removed.',
    }
    const [teen] = (await sandbox.personas.list()).filter(({ name }) => name === 'teen-16')
    await sandbox.personas.put({ ...teen, ...persona })
    await sandbox.next({ persona: persona.name, outcome: 'code_issued' })
    await use({ scope: UPGRADE })
    await sandbox.personas.remove(persona.name)
  })
  const twice = { persona: 'adult-passport', outcome: 'callback.state_twice' }
  await decided('a form with a field twice', twice, { response_mode: 'form_post' })
  await record('a reply that is cut off', async () => {
    await sandbox.next({ flow: 'par', outcome: 'par.truncated' })
    await party.push().catch(() => undefined)
  })
  await record('a wrong secret', () => party.push({ client_secret: 'wrong' }))
  await record('a frozen clock and a birthday', async () => {
    await sandbox.clock.freeze()
    await sandbox.clock.set('2031-02-03T04:05:06Z')
    await sandbox.next({ persona: 'turns-18-tomorrow' })
    await sandbox.clock.advance(2 * 86_400)
    await use()
  })
  await record('a persona of its own', async () => {
    const signal = {
      method: 'id_doc_scan',
      verified_at: 'now - 30d',
      provenance: '/veratad/roc',
    } as const
    const age_key = { signals: [{ ...signal, age: { date_of_birth: 'today - 18y + 3d' } }] }
    const shown = { title: "It's a birthday", purpose: 'A persona that no other sandbox has' }
    await sandbox.personas.put({ name: 'turns-18-in-three-days', ...shown, age_key })
    await sandbox.next({ persona: 'turns-18-in-three-days' })
    await use({ scope: UPGRADE })
  })
  return flows
}
