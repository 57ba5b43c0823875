import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  contrast,
  readable,
  renderAppearanceCss,
  textOn,
} from '../../../src/server/pages/appearance.ts'
import { ruleRow } from '../../../src/service/oidc/rules/rules.ts'
import { press, submit } from '../../support/forms.ts'
import { byTestId, tagsOf, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const sandbox = await shareSandbox()
const openUse = async (changes: Changes) =>
  (await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))).text

const sheetOn = (page: string) =>
  tagsOf(page).findLast(({ attributes }) => attributes['rel'] === 'stylesheet')?.attributes[
    'href'
  ] ?? ''
const themeOn = (page: string) => tagsOf(page)[0]?.attributes['data-theme']

test('The appearance of a hosted page is a style sheet of the sandbox, with the requested values, if any is permitted', async () => {
  const text = await openUse({
    theme: 'dark',
    primary_color: 'Teal',
    button_radius: '4',
    gradient: 'maybe',
  })
  expect(themeOn(text)).toBe('light')
  const sheet = await sandbox.request.get(sheetOn(text))
  expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8')
  expect(sheet.text).toMatch(/--primary: #008080;(?=[\s\S]*--radius: 4px;)(?![\s\S]*--band)/)
  const without = await openUse({ theme: 'dark', text_align: 'justify' })
  expect(themeOn(without)).toBe('dark')
  expect(sheetOn(without)).toMatch(/app\.css$/)
})

test('The style sheet of an appearance takes no other value from its address', async () => {
  const sheet = async (query: string) =>
    (await sandbox.request.get('/_sandbox/appearance.css').query(query).expect(200)).text
  const injected = ['primary_color=red;}body{display:none', 'font=%22%3B%7D%20*%7Bcolor%3Ared']
  for (const query of [...injected, 'button_radius=99', 'unknown=1', 'font=%FF'])
    expect(await sheet(query), query).toBe(await sheet(''))
})

test('E3 ignores every appearance but language or theme', async () => {
  const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
  const changes = { theme: 'dark', language: 'fr', primary_color: 'red', learn_more: 'true' }
  const { text } = await sandbox.request
    .get('/v1/oidc/create')
    .query(createRequest(requestUri, changes))
  expect(tagsOf(text)[0]?.attributes).toMatchObject({ 'data-theme': 'dark', lang: 'fr' })
  expect(sheetOn(text)).toMatch(/app\.css$/)
  expect(byTestId(text, 'learn-more')).toEqual([])
})

const lastFindings = async () => (await sandbox.flows.last())?.calls.at(-1)?.findings ?? []

test.each([
  [{ text_color: '#aaa' }, /^text_color #aaa has a contrast of 2\.\d:1 .* #[0-9a-f]{6} is shown$/],
  [
    { text_color: 'black', background_color: '#222' },
    /^text_color black has a contrast of 1\.\d:1/,
  ],
  [{ text_color: '#000' }, undefined],
  [{ text_color: 'white', background_color: '#222' }, undefined],
  [{ background_color: '#222' }, undefined],
])('A text colour is advice only when it is changed: %j', async (changes, message) => {
  const text = await openUse(changes)
  const findings = await lastFindings()
  const { hint } = ruleRow('USE-21')
  const advice = {
    rule: 'USE-21',
    level: 'advice',
    message: expect.stringMatching(message ?? ''),
    hint,
  }
  expect(findings).toMatchObject(message ? [advice] : [])
  expect(textOf(text)).toContain(findings[0]?.message ?? '')
})

test('A font that the device lacks is hidden advice, until a script of the page says so, then advice in the journal', async () => {
  const text = await openUse({ font: 'No Such Font' })
  const unsure = tagsOf(text).filter(({ attributes }) => 'data-unsure' in attributes)
  const shown = unsure.map(({ name, attributes }) => [name, 'hidden' in attributes])
  expect(shown).toEqual(['a', 'section', 'div'].map((name) => [name, true]))
  expect(text).toContain('this device has no font &quot;No Such Font&quot;')
  expect(await lastFindings()).toEqual([])
  const form = press(text, 'use')
  form.fields.set('font', 'missing')
  expect((await submit(sandbox, form)).status).toBeLessThan(400)
  const { hint } = ruleRow('USE-22')
  const message = expect.stringContaining('"No Such Font"')
  expect(await lastFindings()).toMatchObject([{ rule: 'USE-22', level: 'advice', message, hint }])
  expect(await openUse({})).not.toMatch(/data-unsure|font\.js/)
})

const propertiesOf = (css: string) =>
  Object.fromEntries(
    [...css.matchAll(/^ {2}--([a-z-]+): (.*);$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

const hex = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)
const requested = {
  primary_color: hex,
  secondary_color: hex,
  text_color: hex,
  background_color: hex,
}

const PAIRS = [
  ...['text', 'muted', 'accent'].flatMap((text) =>
    ['background', 'page', 'wash'].map((surface) => [text, surface]),
  ),
  ['on-primary', 'primary'],
  ['on-primary', 'primary-hover'],
  ['on-secondary', 'secondary'],
]

test('The style sheet of an appearance keeps every text readable', () => {
  fc.assert(
    fc.property(fc.record(requested, { requiredKeys: [] }), (appearance) => {
      const properties = propertiesOf(renderAppearanceCss(appearance))
      const colourOf = (name = '') => properties[name] ?? ''
      for (const [text, surface] of PAIRS)
        expect(
          contrast(colourOf(text), colourOf(surface)),
          `${text} on ${surface}`,
        ).toBeGreaterThanOrEqual(4.5)
      expect(contrast(colourOf('edge'), colourOf('background'))).toBeGreaterThanOrEqual(3)
      for (const name of ['primary', 'secondary', 'background'] as const)
        expect(properties).toMatchObject(
          appearance[`${name}_color`] ? { [name]: appearance[`${name}_color`] } : {},
        )
    }),
  )
})

test.each([
  [{ primary_color: '#A0c' }, { primary: '#aa00cc' }],
  [{ primary_color: 'rebeccapurple' }, { primary: '#663399' }],
  [{ primary_color: 'RED' }, { primary: '#ff0000' }],
  [{ text_align: 'right' }, { align: 'right' }],
  [{ button_radius: '08' }, { radius: '8px' }],
  [{ font: ' Noto Serif JP ' }, { font: '"Noto Serif JP", system-ui, sans-serif' }],
])('The style sheet of the appearance %j holds %j', (appearance, expected) => {
  expect(propertiesOf(renderAppearanceCss(appearance))).toMatchObject(expected)
})

test('The style sheet of an appearance sets only colours when only colours are requested', () => {
  const properties = propertiesOf(renderAppearanceCss({ primary_color: 'red', gradient: 'false' }))
  for (const name of ['align', 'radius', 'band', 'font'])
    expect(properties).not.toHaveProperty(name)
})

test('textOn reaches 4.5:1 on any background, as readable does', () => {
  fc.assert(
    fc.property(hex, hex, (one, background) => {
      const shown = readable(one, 4.5, [background])
      for (const text of [textOn(background), shown])
        expect(contrast(text, background)).toBeGreaterThanOrEqual(4.5)
      if (contrast(one, background) >= 4.5) expect(shown).toEqual(one)
    }),
  )
})
