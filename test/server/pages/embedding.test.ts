import { expect, test } from 'vitest'
import { ruleRow } from '../../../src/service/oidc/rules/rules.ts'
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
const ADULT = { sandbox_persona: 'adult-passport' }
const lastFindings = async () => (await sandbox.flows.last())?.calls.at(-1)?.findings ?? []

test.each<[string, string, Changes, string]>([
  ['a decision', 'fencedframe', ADULT, 'id_token state'],
  ['a decision', 'frame', ADULT, 'id_token state'],
  ['a refused request', 'embed', { nonce: undefined }, 'error error_description state'],
  ['a posted form', 'object', { ...ADULT, response_mode: 'form_post' }, 'id_token state'],
])(
  'A page that names the parameters of %s, no values, ends a flow in element %s',
  async (_, element, changes, names) => {
    const secrets = {
      state: 'a-secret-state',
      redirect_uri: 'http://localhost:3000/cb?own=a-secret-query',
    }
    const { headers, text } = await use(
      { ...changes, ...secrets },
      { 'Sec-Fetch-Dest': element },
    ).expect(200)
    expect(headers.location).toBeUndefined()
    expect(byTestId(text, 'ended-in-iframe')).toHaveLength(1)
    expect(textOf(text)).toContain(names)
    expect(text).not.toMatch(/eyJ|a-secret-|<form/)
  },
)

test('A flow ends with a page when only the form request, or only a script of the page, reports the iframe', async () => {
  const byHeader = press((await use({}, {})).text, 'use')
  const fromFrame = await sandbox.request
    .post(byHeader.action)
    .set(FRAMED)
    .send(String(byHeader.fields))
  const byScript = press((await use({}, {})).text, 'use')
  byScript.fields.set('framed', 'true')
  for (const { text } of [fromFrame, await submit(sandbox, byScript)])
    expect(byTestId(text, 'ended-in-iframe')).toHaveLength(1)
})

const WEB_VIEW = {
  'User-Agent': 'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/126',
}
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'

test.each([
  [
    'A web view on Android',
    `Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) ${CHROME}`,
    'Custom Tabs',
  ],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`, undefined],
  [
    'A web view on iOS',
    `${IPHONE} Mobile/15E148`,
    'ASWebAuthenticationSession, SFSafariViewController',
  ],
  [
    'A web view on an iPad',
    `${IPHONE.replaceAll('iPhone', 'iPad')} Mobile/15E148`,
    'ASWebAuthenticationSession, SFSafariViewController',
  ],
  ['Safari on iOS', `${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, undefined],
  ['Chrome on a desk', `Mozilla/5.0 (X11; Linux x86_64) ${CHROME}`, undefined],
])(
  '%s is told of the components that have passkeys only where it has none',
  async (_, userAgent, components) => {
    const { text } = await use({}, { 'User-Agent': userAgent })
    expect(text.includes('data-testid="web-view"')).toBe(components !== undefined)
    if (components !== undefined) expect(textOf(text)).toContain(components)
  },
)

const buttonsOf = (page: string) =>
  tagsOf(page).flatMap(
    ({ name, attributes }) => (name === 'button' && attributes['data-testid']) || [],
  )
const open = async (
  flow: 'use' | 'create',
  headers: Readonly<Record<string, string>>,
  changes: Changes = {},
) => {
  if (flow === 'use') return use(changes, headers)
  const query = createRequest(await createRelyingParty(sandbox).obtainRequestUri(), changes)
  return sandbox.request.get('/v1/oidc/create').set(headers).query(query)
}
const FLOWS = ['use', 'create'] as const
const send = ({ action, fields }: FilledForm) =>
  sandbox.request.post(action).set(WEB_VIEW).send(String(fields))

test.each(FLOWS)(
  'The %s page in a web view offers to go back or to continue, and is then the usual',
  async (flow) => {
    const page = (await open(flow, WEB_VIEW)).text
    expect((await lastFindings()).map(({ rule, level }) => [rule, level])).toEqual([
      ['USE-19', 'advice'],
    ])
    // The notice of the page says so instead of the advice.
    expect(page).not.toContain('USE-19')
    expect(textOf(page)).toMatch(
      /lacks passkeys, so no age key can be created or used here.*Custom Tabs/,
    )
    expect(buttonsOf(page)).toEqual(['continue-anyway', 'decline'])
    const { params } = readCallback(await send(press(page, 'decline')))
    expect(params).toMatchObject({ error: 'access_denied', state: 'state-1' })
    const main = flow === 'use' ? 'use' : 'save'
    const continued = await send(formWithId((await open(flow, WEB_VIEW)).text, 'continue-form'))
    expect(buttonsOf(continued.text)).toEqual(expect.arrayContaining([main, 'decline']))
    expect(buttonsOf(continued.text)).not.toContain('continue-anyway')
    const language = formWithId(continued.text, 'language-form')
    language.fields.set('language', 'de')
    const german = await send(language)
    expect(german.headers['content-language']).toBe('de')
    expect(buttonsOf(german.text)).toEqual(expect.arrayContaining([main]))
    expect(Object.keys(readCallback(await send(press(german.text, main))).params)).toContain(
      'state',
    )
  },
)

const DENIED = { framed: 'true', permission: 'denied', continued: 'true' }
test.each([
  ['without the permission saves nothing', DENIED, false],
  ['with the permission saves', { framed: 'true', permission: 'allowed' }, true],
  ['but no permission saves', { framed: 'true' }, true],
  // A callback would say that the key was saved.
  ['is not believed outside of an iframe', { permission: 'denied' }, true],
])('A Create page whose script reports an iframe %s', async (_does, reported, isSaved) => {
  const form = press((await open('create', FRAMED)).text, 'save')
  for (const [name, value] of Object.entries<string>(reported)) form.fields.set(name, value)
  const answer = await submit(sandbox, form)
  expect(answer.status).toBe('framed' in reported ? 200 : 303)
  expect(byTestId(answer.text, 'unsaved')).toHaveLength(isSaved ? 0 : 1)
  expect((await sandbox.personas.get('no-age-key')).age_key !== undefined).toBe(isSaved)
  const unsaved = {
    rule: 'USE-20',
    level: 'advice',
    message: expect.stringContaining('no age key was saved'),
  }
  if (!isSaved) expect(await lastFindings()).toMatchObject([unsaved])
})

test.each([
  ['a web view', WEB_VIEW, ['USE-19']],
  ['an iframe', FRAMED, ['USE-20']],
  ['an iframe of a web view', { ...WEB_VIEW, ...FRAMED }, ['USE-19', 'USE-20']],
])('A scripted flow in %s proceeds with advice', async (_, headers, rules) => {
  for (const [flow, outcome] of [['create', 'created'] as const, ['use', 'verified'] as const]) {
    await open(flow, headers, { sandbox_persona: 'no-age-key' })
    expect((await sandbox.flows.last())?.outcome).toBe(outcome)
    const common = { level: 'advice', message: expect.stringMatching(/\w/) }
    expect(await lastFindings()).toMatchObject(
      rules.map((rule) => ({ ...common, rule, hint: ruleRow(rule).hint })),
    )
  }
})
