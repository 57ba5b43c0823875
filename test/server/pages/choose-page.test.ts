import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/server/http/html/messages.ts'
import { evaluateBriefly } from '../../../src/service/age/evaluate.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../../support/markup.ts'
import { choosePage, shell } from './views.ts'

test.each(Object.entries(LANGUAGES))(
  'The choice page offers a code beside creation, said in %s',
  (tag, messages) => {
    const page = choosePage({ shell: { ...shell, lang: tag } })
    const ids = tagsOf(page)
      .filter(({ name }) => name === 'button')
      .map(({ attributes }) => attributes['data-testid'])
    expect(ids.slice(ids.indexOf('use'), ids.indexOf('use') + 3)).toEqual([
      'use',
      'outcome-code_issued',
      'create',
    ])
    expect(textOf(page)).toContain(messages['choose.code'])
    expect(messages['choose.code'] === LANGUAGES['en']?.['choose.code']).toBe(tag === 'en')
  },
)

test('The choice page begins with the form of the choice', () => {
  const page = choosePage()
  const tags = tagsOf(page)
  const forms = tags.filter(({ name }) => name === 'form')
  const targets = ['choice', 'choice', 'language'].map((path) => `post /v1/oidc/use/${path}`)
  expect(forms.map(({ attributes: { method, action } }) => `${method} ${action}`)).toEqual(targets)
})

test('The choice page submits nothing unknown', () => {
  const page = choosePage()
  const tags = tagsOf(page)
  const forms = tags.filter(({ name }) => name === 'form')
  const hidden = tags.filter(({ attributes }) => attributes['type'] === 'hidden')
  const pending = ['transaction=tx-1', 'chosen_language=en', 'continued=true']
  expect(hidden.map(({ attributes: { name, value } }) => `${name}=${value}`)).toEqual(
    forms.flatMap(() => pending),
  )
  const chosen = ['language', 'outcome', 'persona']
  expect(fieldNames(page)).toEqual(
    [...chosen, 'transaction', 'chosen_language', 'continued'].sort(),
  )
})

test('The form of the language menu ends the choice page', () => {
  const page = choosePage()
  const tags = tagsOf(page)
  const forms = tags.filter(({ name }) => name === 'form')
  const menu = tags.findIndex(({ attributes }) => attributes['data-testid'] === 'language')
  expect(menu).toBeLessThan(tags.findIndex(({ name }) => name === 'main'))
  expect(tags[menu]?.attributes['form']).toBe(forms.at(-1)?.attributes['id'])
})

test('The choice page keeps every section with details closed', () => {
  const details = tagsOf(choosePage()).filter(({ name }) => name === 'details')
  expect(details.map(({ attributes }) => Object.hasOwn(attributes, 'open'))).toEqual([false, false])
})

test('The choice page offers to go back where no passkey works', () => {
  const page = choosePage({ continued: undefined })
  const offered = tagsOf(page).filter(
    ({ name, attributes }) => name === 'button' && attributes['data-testid'],
  )
  expect(offered.map(({ attributes }) => attributes['data-testid'])).toEqual([
    'continue-anyway',
    'decline',
  ])
  expect(textOf(page)).toMatch(
    /no age key can be created or used here.*Open the flow in: Custom Tabs/,
  )
})

test('The choice page does not offer to continue where a passkey works', () => {
  expect(byTestId(choosePage(), 'continue-anyway')).toEqual([])
})

const HELD = { method: 'id_doc_scan', verified_at: '2025-06-01', provenance: '/yoti' } as const

const MANY = { age_thresholds: Array.from({ length: 30 }, (_, age) => age) }
const TWICE = { age_thresholds: [16, 16], overrides: { id_doc_scan: { age_thresholds: [21, 16] } } }

test.each([
  [
    'shortens a long list of answers in the middle',
    MANY,
    'Title 0, 1, …, 16 yes 17, 18, …, 29 no name',
  ],
  [
    'shows the answer that is sent, once',
    TWICE,
    'Title 16 no name id_doc_scan: is 16, needs 21 by overrides',
  ],
])('The choice page %s', (_does, claims, text) => {
  const persona = { name: 'name', title: 'Title', purpose: 'Is 16.' }
  const evaluation = evaluateBriefly([{ ...HELD, age: { years: 16 } }], claims, 0)
  expect(textOf(choosePage({ choices: [{ persona, evaluation }] }, { claims }))).toContain(text)
})

test('The choice page says how a persona without an age key ends', () => {
  for (const [canCreate, outcome] of [
    [true, 'create_requested'] as const,
    [false, 'access_denied'] as const,
  ]) {
    const said = `Nobody yet ends with ${outcome} no-age-key no age signal`
    expect(textOf(choosePage({}, { canCreate }))).toContain(said)
  }
})

test('The primary button of the choice page says as whom it answers', () => {
  // Also when the list does not hold that persona.
  for (const changes of [{}, { choices: [] }, { shell: { ...shell, lang: 'tlh' } }])
    expect(textOf(choosePage(changes))).toContain('Use my age key Answers as adult-passport')
})

test('The choice page shows the request beside one row for each persona', () => {
  const text = textOf(choosePage())
  for (const part of [
    'Web shop wants to check your age',
    'Teenager 13 yes 18 no teen-16 id_doc_scan: is 16, needs 18 ?',
    'Adult with a passport 13, 18 yes adult-passport id_doc_scan: is 40 ?',
    'Ages asked for 13 18',
    'What counts: verified_after, allowed_methods verified_after: 2025-01-01 allowed_methods: id_doc_scan',
    'the app may update the age key',
    'advice CLM-04 claims.age_thresholds the thresholds are not ascending How to fix it: Send them in ascending order: [13, 18].',
  ])
    expect(text).toContain(part)
})

test('The choice page names the outcome of each button', () => {
  const all = choosePage()
  for (const named of [
    'a code code_issued',
    'Create my age key create_requested',
    'answering access_denied',
  ])
    expect(textOf(all)).toContain(named)
})

test('The choice page disables a button that the request cannot have', () => {
  const all = choosePage()
  const none = choosePage({}, { canCreate: false, upgrade: false })
  expect(textOf(none)).toContain('code_issued needs scope svc.upgrade')
  expect(textOf(none)).toContain('create_requested needs can_create=true')
  for (const testId of ['create', 'outcome-code_issued']) {
    expect(byTestId(all, testId)[0]?.attributes).not.toHaveProperty('disabled')
    expect(byTestId(none, testId)[0]?.attributes).toHaveProperty('disabled')
  }
})

test('The choice page names the upgrade scope by the brand word', () => {
  expect(textOf(choosePage({ brand: 'agekey' }, { upgrade: false }))).toContain(
    'needs scope agekey.upgrade',
  )
})

test('The choice page says in its own language why a persona gets its answers', () => {
  const text = textOf(choosePage({ shell: { ...shell, lang: 'de' } }))
  expect(text).toContain('id_doc_scan: ist 16, braucht 18')
  expect(text).not.toContain('needs')
})

test('The choice page leaves out the sections that are empty', () => {
  expect(textOf(choosePage({}, { upgrade: false }))).not.toContain('the app may update the age key')
  expect(textOf(choosePage({ findings: [] }))).not.toContain('Advice on this request')
  expect(textOf(choosePage({}, { claims: { age_thresholds: [18] } }))).not.toContain('What counts')
  expect(byTestId(choosePage(), 'learn-more')[0]?.attributes['href']).toBe('/#age-keys')
  const presentation = { theme: 'light', learnMore: false, appearance: {} } as const
  expect(byTestId(choosePage({}, { presentation }), 'learn-more')).toEqual([])
})

test('The choice page links to all reasons of an answer outside of its button', () => {
  const page = choosePage()
  expect(textOf(page)).not.toContain('age_thresholds[')
  const tags = tagsOf(page)
  const hrefs = tags
    .map(({ attributes }) => attributes['href'] ?? '')
    .filter((href) => href.includes('/why?'))
  const why = '/v1/oidc/use/why?transaction=tx-1&chosen_language=en&persona='
  expect(hrefs).toEqual(['adult-passport', 'teen-16'].map((name) => why + name))
  const link = tags.findIndex(({ attributes }) => attributes['href'] === hrefs[0])
  const before = tags.slice(0, link).map(({ name }) => name)
  expect(before.lastIndexOf('/button')).toBeGreaterThan(before.lastIndexOf('button'))
})

test('The choice page shows the logo of the client, or the initial of its name', () => {
  expect(choosePage().html).toContain('src="/_sandbox/logos/web-shop"')
  for (const [name, initial] of Object.entries({
    Åse: 'Å',
    '😀 app': '😀',
    '  padded': 'P',
    '': '?',
  }))
    expect(choosePage({ client: { name } }).html).toContain(`aria-hidden="true">${initial}</span>`)
})
