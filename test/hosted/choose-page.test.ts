import { describe, expect, it } from 'vitest'
import { evaluateBriefly } from '../../src/age/evaluate.ts'
import { LANGUAGES } from '../../src/http/html/messages.ts'
import { byTestId, fieldNames, tagsOf, textOf } from '../support/markup.ts'
import { choosePage, shell } from './views.ts'

describe('the choice page', () => {
  it.each([
    ['use', { name: 'outcome', value: 'verified' }],
    ['create', { name: 'outcome', value: 'create_requested' }],
    ['decline', { name: 'outcome', value: 'access_denied' }],
    ['persona-teen-16', { name: 'persona', value: 'teen-16' }],
    ['persona-no-age-key', { name: 'persona', value: 'no-age-key' }],
  ])('has one button %s', (testId, attributes) => {
    const buttons = byTestId(choosePage(), testId)
    expect(buttons).toHaveLength(1)
    expect(buttons[0]).toMatchObject({ name: 'button', attributes })
  })

  it('offers to create an age key only when the request allows it', () => {
    expect(byTestId(choosePage({}, { canCreate: false }), 'create')).toEqual([])
  })

  it.each(Object.entries(LANGUAGES))(
    'offers a code beside an age key to create, in its own words: %s',
    (tag, messages) => {
      const page = choosePage({ shell: { ...shell, lang: tag } })
      const buttons = tagsOf(page).filter(({ name }) => name === 'button')
      const ids = buttons.map(({ attributes }) => attributes['data-testid'])
      expect(ids.slice(ids.indexOf('use'), ids.indexOf('use') + 3)).toEqual(['use', 'outcome-code_issued', 'create'])
      expect(textOf(page)).toContain(messages['choose.code'])
      expect(messages['choose.code'] === LANGUAGES['en']?.['choose.code']).toBe(tag === 'en')
    },
  )

  it('offers a code only when the request asks for the upgrade scope', () => {
    expect(byTestId(choosePage({}, { upgrade: false }), 'outcome-code_issued')).toEqual([])
  })

  it('begins with the form of the choice, and names the transaction in every form', () => {
    const tags = tagsOf(choosePage())
    const forms = tags.filter(({ name }) => name === 'form')
    const hidden = tags.filter(({ attributes }) => attributes['type'] === 'hidden')
    expect(forms.map(({ attributes }) => attributes)).toMatchObject([
      { method: 'post', action: '/v1/oidc/use/choice' },
      { method: 'post', action: '/v1/oidc/use/clock#endings-title' },
      { method: 'post', action: '/v1/oidc/use/choice' },
      { method: 'post', action: '/v1/oidc/use/language' },
    ])
    expect(hidden.map(({ attributes }) => [attributes['name'], attributes['value']])).toEqual(
      forms.flatMap(() => [
        ['transaction', 'tx-1'],
        ['chosen_language', 'en'],
        ['continued', 'true'],
      ]),
    )
  })

  it('has the menu of languages on top, and its form at the end', () => {
    const tags = tagsOf(choosePage())
    const menu = tags.findIndex(({ attributes }) => attributes['data-testid'] === 'language')
    expect(menu).toBeLessThan(tags.findIndex(({ name }) => name === 'main'))
    expect(tags[menu]?.attributes['form']).toBe(tags.findLast(({ name }) => name === 'form')?.attributes['id'])
  })

  it('shows the endings after the clock was moved', () => {
    const endings = (changes: Parameters<typeof choosePage>[0]) =>
      tagsOf(choosePage(changes)).find(({ attributes }) => attributes['class'] === 'card endings')
    expect(endings({})?.attributes).not.toHaveProperty('open')
    expect(endings({ clockMoved: true })?.attributes).toHaveProperty('open')
  })

  it('submits nothing but the request, a choice, a language and seconds', () => {
    expect(fieldNames(choosePage())).toEqual([
      'advance',
      'chosen_language',
      'continued',
      'language',
      'outcome',
      'persona',
      'transaction',
    ])
  })

  it('offers only to go back where no passkey works, and to continue for the sandbox alone', () => {
    const page = choosePage({ continued: undefined })
    const offered = tagsOf(page).filter(({ name, attributes }) => name === 'button' && attributes['data-testid'])
    expect(offered.map(({ attributes }) => attributes['data-testid'])).toEqual(['continue-anyway', 'decline'])
    expect(textOf(page)).toMatch(/no age key can be created or used here.*Open the flow in: Custom Tabs/)
    expect(byTestId(choosePage(), 'continue-anyway')).toEqual([])
  })

  it('shows each persona as one row: title, name, answers by kind and one short reason', () => {
    const text = textOf(choosePage())
    expect(text).toContain('Teenager 13 yes 18 no teen-16 id_doc_scan: is 16, needs 18 ?')
    expect(text).toContain('Adult with a passport 13, 18 yes adult-passport id_doc_scan: is 40 ?')
  })

  it('shortens a long list of answers in the middle', () => {
    const claims = { age_thresholds: Array.from({ length: 30 }, (_, age) => age) }
    const held = { method: 'id_doc_scan', age: { years: 16 }, verified_at: '2025-06-01', provenance: '/yoti' } as const
    const choices = [
      { persona: { name: 'p16', title: 'Sixteen', purpose: 'Is 16.' }, evaluation: evaluateBriefly([held], claims, 0) },
    ]
    expect(textOf(choosePage({ choices }, { claims }))).toContain('Sixteen 0, 1, …, 16 yes 17, 18, …, 29 no p16')
  })

  it('shows one answer for a threshold that is named twice, which is the one that is sent', () => {
    const claims = { age_thresholds: [18, 18], overrides: { id_doc_scan: { age_thresholds: [21, 18] } } }
    const held = { method: 'id_doc_scan', age: { years: 19 }, verified_at: '2025-06-01', provenance: '/yoti' } as const
    const persona = { name: 'p19', title: 'Nineteen', purpose: 'Is 19.' }
    const text = textOf(
      choosePage({ choices: [{ persona, evaluation: evaluateBriefly([held], claims, 0) }] }, { claims }),
    )
    expect(text).toContain('Nineteen 18 no p19 id_doc_scan: is 19, needs 21 by overrides')
  })

  it.each([
    [true, 'create_requested'],
    [false, 'access_denied'],
  ])('with can_create %s says that a persona without an age key ends with %s', (canCreate, outcome) => {
    expect(textOf(choosePage({}, { canCreate }))).toContain(
      `Nobody yet ends with ${outcome} no-age-key has nothing to answer with`,
    )
  })

  it('names the persona that the primary button answers as', () => {
    expect(textOf(choosePage())).toContain('Use my age key Answers as adult-passport')
  })

  it('names the fallback persona even when the list does not hold it', () => {
    expect(textOf(choosePage({ choices: [] }))).toContain('Use my age key Answers as adult-passport')
  })

  it('shows the client, the requested ages and the filters', () => {
    const text = textOf(choosePage())
    expect(text).toContain('Web shop wants to check your age')
    expect(text).toContain('Ages asked for 13 18')
    expect(text).toContain(
      'What counts: verified_after, allowed_methods verified_after: 2025-01-01 allowed_methods: id_doc_scan',
    )
    expect(text).toContain('the app may update the age key')
    expect(textOf(choosePage({}, { upgrade: false }))).not.toContain('the app may update the age key')
  })

  it('links to all reasons of an answer outside of its button, and has only the short one itself', () => {
    const page = choosePage()
    expect(textOf(page)).not.toContain('age_thresholds[')
    const tags = tagsOf(page)
    const hrefs = tags.map(({ attributes }) => attributes['href'] ?? '').filter((href) => href.includes('/why?'))
    expect(hrefs).toEqual(
      ['adult-passport', 'teen-16'].map(
        (name) => `/v1/oidc/use/why?transaction=tx-1&chosen_language=en&persona=${name}`,
      ),
    )
    const names = tags.map(({ name }) => name)
    const link = tags.findIndex(({ attributes }) => attributes['href'] === hrefs[0])
    expect(names.slice(0, link).lastIndexOf('/button')).toBeGreaterThan(names.slice(0, link).lastIndexOf('button'))
  })

  it('keeps every section with details closed at first', () => {
    const details = tagsOf(choosePage()).filter(({ name }) => name === 'details')
    expect(details.map(({ attributes }) => Object.hasOwn(attributes, 'open'))).toEqual([false, false])
  })

  it('links to what an age key is, unless learn_more is false', () => {
    expect(byTestId(choosePage(), 'learn-more')[0]?.attributes['href']).toBe('/#age-keys')
    expect(
      byTestId(choosePage({}, { presentation: { theme: 'light', learnMore: false, appearance: {} } }), 'learn-more'),
    ).toEqual([])
  })

  it('lists advice with its rule, place and remedy', () => {
    expect(textOf(choosePage())).toContain(
      'advice CLM-04 claims.age_thresholds the thresholds are not ascending How to fix it: Send them in ascending order: [13, 18].',
    )
  })

  it('leaves out the sections that are empty', () => {
    expect(textOf(choosePage({ findings: [] }))).not.toContain('Advice on this request')
    const withoutFilters = choosePage({}, { claims: { age_thresholds: [18] } })
    expect(textOf(withoutFilters)).not.toContain('What counts')
  })

  it.each([
    ['Åse', 'Å'],
    ['😀 app', '😀'],
    ['  padded', 'P'],
    ['', '?'],
  ])('shows the initial of the client %j when it has no logo', (name, initial) => {
    expect(choosePage({ client: { name } }).html).toContain(`aria-hidden="true">${initial}</span>`)
  })

  it('shows the logo of the client when it has one', () => {
    const images = tagsOf(choosePage()).filter(({ name }) => name === 'img')
    expect(images.map(({ attributes }) => attributes['src'])).toContain('/_sandbox/logos/web-shop')
  })

  it('falls back to English for a language without texts', () => {
    expect(textOf(choosePage({ shell: { ...shell, lang: 'tlh' } }))).toContain('Use my age key')
  })
})
