import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/server/http/html/messages.ts'
import { USUAL_PERSONAS } from '../../../src/server/pages/persona-list.ts'
import { press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, claims, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const open = (changes: Changes = {}, headers = {}) =>
  sandbox.request.get('/v1/oidc/use').set(headers).query(useRequest(changes))

const publicFolder = new URL('../../../public/', import.meta.url)

test.each(Object.keys(LANGUAGES))(
  'The choice page weighs at most 40 KB, and 70 KB in all, in %s',
  async (language) => {
    // An earlier flow brings the endings that replay it.
    await createRelyingParty(sandbox).use({ state: 'earlier', nonce: 'earlier' })
    const asked = { language, can_create: 'true', scope: 'openid svc.upgrade', no_such: 'x' }
    for (const text of [
      claims(),
      claims({ age_thresholds: Array.from({ length: 30 }, (_, index) => index) }),
    ]) {
      const page = (await open({ ...asked, claims: text })).text
      const files = [...page.matchAll(/"\/_sandbox\/assets\/([^"]+)"/g)].map(
        ([, file = '']) => file,
      )
      const loaded = [...new Set(files)].reduce(
        (sum, file) => sum + statSync(new URL(file, publicFolder)).size,
        0,
      )
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(40 * 1024)
      expect(Buffer.byteLength(page) + loaded).toBeLessThanOrEqual(70 * 1024)
    }
  },
)

const openIn = (page: string) =>
  tagsOf(page.slice(page.indexOf('<ul class="rows usual">'), page.indexOf('<div class="groups">')))
    .filter(({ attributes }) => attributes['name'] === 'persona')
    .map(({ attributes }) => attributes['value'])

test('The choice page folds all but the usual personas by group', async () => {
  const { text } = await open()
  expect(openIn(text)).toEqual(USUAL_PERSONAS)
  const summaries = [
    ...text.matchAll(/<summary data-testid="(group-\w+)">([^<]+) <span class="count">(\d+)</g),
  ]
  const all = await sandbox.personas.list()
  for (const { name } of all) expect(byTestId(text, `persona-${name}`), name).toHaveLength(1)
  const folded = all.filter(({ name }) => !USUAL_PERSONAS.includes(name))
  const counted = ['Adults', 'Minors', 'Birthdays', 'Methods', 'Assurance', 'Edge cases'].map(
    (title) => {
      const id = `group-${title.split(' ')[0]?.toLowerCase()}`
      return [id, title, String(folded.filter(({ group }) => group === title).length)]
    },
  )
  expect(summaries.map(([, ...summary]) => summary)).toEqual(counted)
})

test.each([
  ['stale-verification', [...USUAL_PERSONAS, 'stale-verification'], true],
  ['child-12', USUAL_PERSONAS, true],
  ['no-such-persona', USUAL_PERSONAS, false],
])(
  'The choice page has %s, used last in this browser, in the open, marked, once',
  async (last, expected, isMarked) => {
    const { text } = await open({}, { Cookie: `agekey_sandbox_last_persona=${last}` })
    expect(openIn(text)).toEqual(expected)
    expect(byTestId(text, `persona-${last}`)).toHaveLength(isMarked ? 1 : 0)
    expect(textOf(text).includes(`${last} last used here`)).toBe(isMarked)
  },
)

test('The choice page marks a persona that has changed, in the language of the page', async () => {
  const party = createRelyingParty(sandbox)
  await party.create(await party.obtainRequestUri(), { sandbox_persona: 'teen-16' })
  expect(textOf((await open()).text)).toContain('teen-16 changed')
  const inGerman = textOf((await open({ language: 'de' })).text)
  expect(inGerman).toContain('teen-16 geändert')
  expect(inGerman).not.toContain('child-12 geändert')
})

test('The choice page leads to the reasons for the answers of a persona, on a page in its language', async () => {
  const asked = claims({
    age_thresholds: [18],
    overrides: { facial_age_estimation: { min_age: 21 } },
  })
  await sandbox.tenant('later').clock.advance(86_400)
  const query = useRequest({ claims: asked, language: 'de' })
  const { text } = await sandbox.request.get('/t/later/v1/oidc/use').query(query)
  expect(textOf(text)).toContain('Was zählt: overrides overrides.facial_age_estimation.min_age: 21')
  const [href = ''] =
    /\/t\/later\/v1\/oidc\/use\/why\?[^"]*persona=adult-face(?=")/.exec(text) ?? []
  const why = await sandbox.request.get(href.replaceAll('&amp;', '&'))
  expect(why.status).toBe(200)
  expect(why.headers['content-language']).toBe('de')
  const reason =
    /18: yes\. facial_age_estimation: needs 21 by overrides\.facial_age_estimation\.min_age, has \d+/
  expect(textOf(why.text)).toMatch(reason)
  expect(textOf(why.text)).toContain('Zurück zur Auswahl')
  // The answers come first: of two signals one says yes and one says no.
  const two = await sandbox.request.get(
    href.replaceAll('&amp;', '&').replace('adult-face', 'two-signals-disagree'),
  )
  expect(textOf(two.text)).toMatch(/18 ja .* one signal that says yes: .*18: no\. .*18: yes\./)
  const grown = await sandbox.request.get(
    href.replaceAll('&amp;', '&').replace('adult-face', 'turns-18-tomorrow'),
  )
  expect(textOf(grown.text)).toContain('18: yes. id_doc_scan: needs 18, has 18')
  // The page leads back to the same choice.
  const { transaction = '' } = Object.fromEntries(press(text, 'use').fields)
  const [, back = ''] = /<form method="post" action="([^"]+continue)"/.exec(why.text) ?? []
  const again = await submit(sandbox, {
    action: back,
    fields: new URLSearchParams({ transaction }),
  })
  expect(press(again.text, 'use').fields.get('transaction')).toBe(transaction)
})

test.each([
  [{ transaction: 'x' }, 410, /^transaction: unknown or expired/],
  [{ persona: 'teen-61' }, 400, /Did you mean "teen-16"/],
  [{ persona: 'no-age-key' }, 400, /^persona: no-age-key has no age key/],
])('A question for reasons with %j is refused with %i', async (changes, status, message) => {
  const transaction = press((await open()).text, 'use').fields.get('transaction') ?? ''
  const asked = sandbox.request
    .get('/v1/oidc/use/why')
    .query({ transaction, persona: 'teen-16', ...changes })
  expect(
    (await asked.set('Accept', 'application/json').expect(status)).body.error_description,
  ).toMatch(message)
})

test('The choice page is cached for the back button', async () => {
  const { headers } = await open()
  expect(headers['cache-control']).toBe('private, no-cache')
})

test('The forms of the choice page may go to the app', async () => {
  const { headers } = await open()
  expect(headers['content-security-policy']).toMatch(
    /form-action 'self' http:\/\/localhost:3000(;|$)/,
  )
  // The policy has no syntax for the address of an app by IPv6.
  const byIpv6 = await open({ redirect_uri: 'http://[::1]:3000/callback' })
  expect(byIpv6.headers['content-security-policy']).toMatch(/form-action 'self' http:(;|$)/)
})
