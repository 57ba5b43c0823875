import { expect, test } from 'vitest'
import { readCallback } from '../../support/callbacks.ts'
import { type FilledForm, formWithId, press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const FRAMED = { 'Sec-Fetch-Dest': 'iframe' }
const use = (changes: Changes = {}, headers: Readonly<Record<string, string>> = FRAMED) =>
  sandbox.request.get('/v1/oidc/use').set(headers).query(useRequest(changes))
const requestOf = async (flow: 'use' | 'create', changes: Changes = {}) =>
  flow === 'use' ? useRequest(changes) : createRequest(await createRelyingParty(sandbox).obtainRequestUri(), changes)
const lastFindings = async () => (await sandbox.flows.last())?.calls.at(-1)?.findings ?? []

test.each([
  ['a decision', { sandbox_persona: 'adult-passport' }],
  ['a refused request', { nonce: undefined }],
  ['a posted form', { sandbox_persona: 'adult-passport', response_mode: 'form_post' }],
])('A flow in an iframe ends with a page instead of the redirect of %s', async (_, changes) => {
  const { headers, text } = await use(changes).expect(200)
  expect([headers.location, byTestId(text, 'ended-in-iframe').length]).toEqual([undefined, 1])
  expect(tagsOf(text).filter(({ name }) => name === 'form')).toEqual([])
})

test('The page that ends a flow in an iframe names the parameters without their values', async () => {
  const { text } = await use({ sandbox_persona: 'adult-passport', state: 'a-secret-state' })
  expect(textOf(text)).toContain('id_token state')
  expect(text).not.toMatch(/eyJ|a-secret-state/)
})

test('A flow ends with a page when only the form request, or only a script of the page, reports the iframe', async () => {
  const byHeader = press((await use({}, {})).text, 'use')
  const fromFrame = await sandbox.request.post(byHeader.action).set(FRAMED).send(String(byHeader.fields))
  const byScript = press((await use({}, {})).text, 'use')
  byScript.fields.set('framed', 'true')
  for (const { text } of [fromFrame, await submit(sandbox, byScript)]) {
    expect(byTestId(text, 'ended-in-iframe')).toHaveLength(1)
  }
})

test('A hosted page may be embedded on any site, as the service may', async () => {
  const { headers } = await use()
  expect(headers).not.toHaveProperty('x-frame-options')
  expect(headers['content-security-policy']).not.toContain('frame-ancestors')
})

test('The page about iframes may frame the sandbox and nothing else', async () => {
  const { headers, text } = await sandbox.request.get('/_sandbox/embedding')
  expect(headers['content-security-policy']).toContain("frame-src 'self'")
  const frames = tagsOf(text).filter(({ name }) => name === 'iframe')
  const allowed = ['publickey-credentials-get', "publickey-credentials-get 'none'"]
  expect(frames.map(({ attributes }) => attributes['allow'])).toEqual(allowed)
  for (const { attributes } of frames) {
    const framed = sandbox.request.get(attributes['src'] ?? '').set(FRAMED)
    await framed.expect(200)
  }
})

const WEB_VIEW = {
  'User-Agent':
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 Version/4.0 Chrome/126 Mobile Safari/537.36',
}
const FLOWS = ['use', 'create'] as const

const buttonsOf = (page: string) =>
  tagsOf(page).flatMap(({ name, attributes }) => (name === 'button' && attributes['data-testid']) || [])
/** The page in a plain embedded web view, without scripts. */
const openInWebView = async (flow: 'use' | 'create') =>
  (
    await sandbox.request
      .get(`/v1/oidc/${flow}`)
      .set(WEB_VIEW)
      .query(await requestOf(flow))
      .expect(200)
  ).text
const send = ({ action, fields }: FilledForm) => sandbox.request.post(action).set(WEB_VIEW).send(String(fields))

test.each(FLOWS)(
  'The %s page in a web view says why no age key works there, offers only to go back or to continue',
  async (flow) => {
    const page = await openInWebView(flow)
    expect((await lastFindings()).map(({ rule, level }) => [rule, level])).toEqual([['USE-19', 'advice']])
    // The notice of the page says so instead of the advice.
    expect(page).not.toContain('USE-19')
    expect(textOf(page)).toMatch(/lacks passkeys, so no age key can be created or used here.*Custom Tabs/)
    expect(buttonsOf(page)).toEqual(['continue-anyway', 'decline'])
    const { params } = readCallback(await send(press(page, 'decline')))
    expect(params).toMatchObject({ error: 'access_denied', state: 'state-1' })
  },
)

test.each(FLOWS)(
  'The %s page in a web view is the usual one after continue anyway, also in another language',
  async (flow) => {
    const main = flow === 'use' ? 'use' : 'save'
    const continued = await send(formWithId(await openInWebView(flow), 'continue-form'))
    expect(buttonsOf(continued.text)).toEqual(expect.arrayContaining([main, 'decline']))
    expect(buttonsOf(continued.text)).not.toContain('continue-anyway')
    const language = formWithId(continued.text, 'language-form')
    language.fields.set('language', 'de')
    const german = await send(language)
    expect([german.headers['content-language'], buttonsOf(german.text)]).toEqual(['de', expect.arrayContaining([main])])
    expect(Object.keys(readCallback(await send(press(german.text, main))).params)).toContain('state')
  },
)

test.each([
  [
    'saves nothing, says so, and records it as advice',
    { framed: 'true', permission: 'denied', continued: 'true' },
    false,
  ],
  ['saves where the permission is allowed', { framed: 'true', permission: 'allowed' }, true],
  ['saves where the script says nothing of a permission', { framed: 'true' }, true],
  // A callback would say that the key was saved.
  ['is not believed outside of an iframe', { permission: 'denied' }, true],
])('A Create page whose script reports an iframe and its permission %s', async (_does, reported, isSaved) => {
  const { text } = await sandbox.request
    .get('/v1/oidc/create')
    .set(FRAMED)
    .query(await requestOf('create'))
  const form = press(text, 'save')
  for (const [name, value] of Object.entries<string>(reported)) form.fields.set(name, value)
  const answer = await submit(sandbox, form)
  expect(answer.status).toBe('framed' in reported ? 200 : 303)
  expect(byTestId(answer.text, 'unsaved')).toHaveLength(isSaved ? 0 : 1)
  expect((await sandbox.personas.get('no-age-key')).age_key !== undefined).toBe(isSaved)
  const unsaved = { rule: 'USE-20', level: 'advice', message: expect.stringContaining('no age key was saved') }
  if (!isSaved) expect(await lastFindings()).toMatchObject([unsaved])
})

test.each([
  ['a web view', WEB_VIEW, 'USE-19'],
  ['an iframe', FRAMED, 'USE-20'],
])('A scripted flow in %s proceeds with advice', async (_, headers, rule) => {
  for (const [flow, outcome] of [
    ['create', 'created'],
    ['use', 'verified'],
  ] as const) {
    const query = await requestOf(flow, { sandbox_persona: 'no-age-key' })
    await sandbox.request.get(`/v1/oidc/${flow}`).set(headers).query(query)
    expect((await sandbox.flows.last())?.outcome).toBe(outcome)
    expect((await lastFindings()).map((one) => [one.rule, one.level])).toEqual([[rule, 'advice']])
  }
})
