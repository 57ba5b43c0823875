import { expect, test } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { readCallback } from '../support/callbacks.ts'
import { press, submit } from '../support/forms.ts'
import { idTokenOf } from '../support/id-tokens.ts'
import { byTestId } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const rp = createRelyingParty(sandbox)
const open = async (changes: Changes = {}, requestUri?: string) => {
  const query = createRequest(requestUri ?? (await rp.obtainRequestUri()), changes)
  return sandbox.request.get('/v1/oidc/create').query(query)
}
const decide = async (page: string, testId: string, values = {}) =>
  readCallback(await submit(sandbox, press(page, testId, values))).params

test('E3 answers with the pushed state in the query of the redirect_uri and nothing else', async () => {
  const redirect_uri = 'http://localhost:3000/cb?a=b'
  const requestUri = await rp.obtainRequestUri({ redirect_uri, state: 'pushed ü+&' })
  const answer = await open({ redirect_uri, sandbox_persona: 'teen-16' }, requestUri)
  const state = encodeURIComponent('pushed ü+&')
  expect(answer.headers.location).toBe(`http://localhost:3000/cb?a=b&state=${state}`)
})

test('The page of E3 can be reloaded and decides once: the second decision gets invalid_request_uri with state', async () => {
  const requestUri = await rp.obtainRequestUri()
  const [first, second] = [await open({}, requestUri), await open({}, requestUri)]
  expect(await decide(first.text, 'decline')).toMatchObject({ error: 'access_denied', state: 'state-1' })
  expect(await decide(second.text, 'save')).toMatchObject({ error: 'invalid_request_uri', state: 'state-1' })
})

test('The page of E3 saves for the selected persona, also after the lifetime of its request_uri', async () => {
  const { text } = await open()
  await sandbox.clock.advance(600)
  const answer = await submit(sandbox, press(text, 'save', { persona: 'child-12' }))
  expect([answer.status, readCallback(answer).params]).toEqual([303, { state: 'state-1' }])
  expect(idTokenOf(await rp.use({ sandbox_persona: 'child-12' })).age_thresholds).toMatchObject({ 21: true })
})

test('The page of E3 saves for a new persona, which the choice page offers from then on', async () => {
  const before = await sandbox.personas.list()
  await decide((await open()).text, 'save-new', { persona: 'child-12' })
  const after = await sandbox.personas.list()
  expect(after).toHaveLength(before.length + 1)
  const persona = after.at(-1)?.name ?? ''
  const summary = `saved for ${persona}, a new persona: id_doc_scan`
  expect(await sandbox.flows.list({ persona })).toMatchObject([{ flow: 'create', persona, summary }])
  const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
  expect(byTestId(text, `persona-${persona}`)).toHaveLength(1)
})

test('The page of E3 preselects the persona that this browser used or clicked last at E1, else no-age-key', async () => {
  const browser = createBrowserClient(sandbox.url)
  const use = (changes: Changes) => browser.get(`/v1/oidc/use?${new URLSearchParams(useRequest(changes))}`)
  const preselected = async () => {
    const query = createRequest(await rp.obtainRequestUri())
    const { text } = await browser.get(`/v1/oidc/create?${new URLSearchParams(query)}`)
    return press(text, 'save').fields.get('persona')
  }
  expect(await preselected()).toBe('no-age-key')
  for (const name of ['teen-14', 'no-age-key', 'teen-16']) {
    const { action, fields } = press((await use({})).text, `persona-${name}`)
    expect((await browser.submit(action, Object.fromEntries(fields))).status).toBe(303)
    expect(await preselected()).toBe(name)
  }
  await sandbox.personas.remove('teen-16')
  expect(await preselected()).toBe('no-age-key')
  await use({ sandbox_persona: 'teen-14' })
  expect(await preselected()).toBe('teen-14')
  await use({ can_create: 'true', sandbox_outcome: 'create_requested' })
  expect(await preselected()).toBe('no-age-key')
})

test('A Create sets no cookie, so that the persona of the last Use in this browser stays', async () => {
  const answer = await open({ sandbox_persona: 'child-12' })
  expect([answer.status, answer.headers['set-cookie']]).toEqual([302, undefined])
})
