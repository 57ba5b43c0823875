import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrast, renderAppearanceCss } from '../../src/hosted/appearance.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { type Changes, createRequest, useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const sheetOn = (page: string) =>
  tagsOf(page).findLast(({ attributes }) => attributes['rel'] === 'stylesheet')?.attributes['href'] ?? ''
const themeOn = (page: string) => tagsOf(page)[0]?.attributes['data-theme']

describe('the appearance of a hosted page', () => {
  it('is a style sheet of the sandbox, with the requested values', async () => {
    const sandbox = await startSandbox()
    const query = useRequest({ theme: 'dark', primary_color: 'Teal', button_radius: '4', gradient: 'maybe' })
    const { text } = await sandbox.request.get('/v1/oidc/use').query(query)
    expect(themeOn(text)).toBe('light')
    const sheet = await sandbox.request.get(sheetOn(text))
    expect(sheet.headers['content-type']).toBe('text/css; charset=utf-8')
    expect(sheet.text).toContain('--primary: #008080;')
    expect(sheet.text).toContain('--radius: 4px;')
    expect(sheet.text).not.toContain('--band')
  })

  it('leaves the theme alone when no value is permitted', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request
      .get('/v1/oidc/use')
      .query(useRequest({ theme: 'dark', text_align: 'justify' }))
    expect(themeOn(text)).toBe('dark')
    expect(sheetOn(text)).toMatch(/app\.css$/)
  })

  it.each([
    'primary_color=red;}body{display:none',
    'font=%22%3B%7D%20*%7Bcolor%3Ared',
    'button_radius=99',
    'unknown=1',
    'font=%FF',
    '',
  ])('takes no other value from the address of the style sheet: %s', async (query) => {
    const sandbox = await startSandbox()
    const plain = await sandbox.request.get('/_sandbox/appearance.css')
    const sheet = await sandbox.request.get('/_sandbox/appearance.css').query(query).expect(200)
    expect(sheet.text).toBe(plain.text)
  })

  it('E3 takes language and theme and nothing else', async () => {
    const sandbox = await startSandbox()
    const requestUri = await createRelyingParty(sandbox).obtainRequestUri()
    const changes = { theme: 'dark', language: 'fr', primary_color: 'red', learn_more: 'true' }
    const { text } = await sandbox.request.get('/v1/oidc/create').query(createRequest(requestUri, changes))
    expect(tagsOf(text)[0]?.attributes).toMatchObject({ 'data-theme': 'dark', lang: 'fr' })
    expect(sheetOn(text)).toMatch(/app\.css$/)
    expect(byTestId(text, 'learn-more')).toEqual([])
  })
})

/** The custom properties of a style sheet. */
const propertiesOf = (css: string) =>
  Object.fromEntries([...css.matchAll(/^ {2}--([a-z-]+): (.*);$/gm)].map(([, name = '', value = '']) => [name, value]))

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const colours = fc.record(
  { primary_color: hex, secondary_color: hex, text_color: hex, background_color: hex },
  { requiredKeys: [] },
)

describe('the style sheet of an appearance', () => {
  it('keeps every text readable with any colours', () => {
    fc.assert(
      fc.property(colours, (appearance) => {
        const properties = propertiesOf(renderAppearanceCss(appearance))
        const colourOf = (name: string) => properties[name] ?? ''
        const pairs = [
          ...['text', 'muted', 'accent'].flatMap((text) =>
            ['background', 'page', 'wash'].map((surface) => [text, surface] as const),
          ),
          ['on-primary', 'primary'],
          ['on-primary', 'primary-hover'],
          ['on-secondary', 'secondary'],
        ] as const
        for (const [text, surface] of pairs) {
          expect(contrast(colourOf(text), colourOf(surface)), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5)
        }
        expect(contrast(colourOf('edge'), colourOf('background'))).toBeGreaterThanOrEqual(3)
      }),
    )
  })

  it.each([
    ['#fff', '#ffffff'],
    ['#392669', '#392669'],
    ['#A0c', '#aa00cc'],
    ['rebeccapurple', '#663399'],
    ['RED', '#ff0000'],
  ])('reads the colour %s', (text, primary) => {
    expect(propertiesOf(renderAppearanceCss({ primary_color: text }))).toMatchObject({ primary })
  })

  it('keeps the requested colour of buttons, band and background', () => {
    fc.assert(
      fc.property(hex, hex, hex, (primary, secondary, background) => {
        const css = renderAppearanceCss({
          primary_color: primary,
          secondary_color: secondary,
          background_color: background,
        })
        expect(propertiesOf(css)).toMatchObject({ primary, secondary, background })
      }),
    )
  })

  it.each([
    [{ text_align: 'right' }, { align: 'right' }],
    [{ button_radius: '08' }, { radius: '8px' }],
    [{ gradient: 'false' }, {}],
    [{ font: ' Noto Serif JP ' }, { font: '"Noto Serif JP", system-ui, sans-serif' }],
  ])('writes %j as %j', (appearance, expected) => {
    expect(propertiesOf(renderAppearanceCss(appearance))).toMatchObject(expected)
  })

  it('sets only colours when only colours are requested', () => {
    const names = Object.keys(propertiesOf(renderAppearanceCss({ primary_color: 'red' })))
    expect(names.filter((name) => ['align', 'radius', 'band', 'font'].includes(name))).toEqual([])
  })
})

describe('advice on the appearance', () => {
  const openWith = async (changes: Changes) => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest(changes))
    const findings = (await sandbox.flows.last())?.calls.at(-1)?.findings ?? []
    return { text, findings }
  }

  it.each([
    [{ text_color: '#aaa' }, /^text_color #aaa has a contrast of 2\.\d:1 .* #[0-9a-f]{6} is shown$/],
    [{ text_color: 'black', background_color: '#222' }, /^text_color black has a contrast of 1\.\d:1/],
  ])('names a text colour that is changed, on the page and in the journal: %j', async (changes, message) => {
    const { text, findings } = await openWith(changes)
    expect(findings).toMatchObject([{ rule: 'USE-21', level: 'advice', message: expect.stringMatching(message) }])
    expect(textOf(text)).toContain(findings[0]?.message)
  })

  it.each([{ text_color: '#000' }, { text_color: 'white', background_color: '#222' }, { background_color: '#222' }])(
    'says nothing of a text colour that is shown as it is, or that was not requested: %j',
    async (changes) => {
      expect((await openWith(changes)).findings).toEqual([])
    },
  )

  it('holds what a script may say about the font hidden, and the journal is not given it before', async () => {
    const { text, findings } = await openWith({ font: 'Comic Neue' })
    const unsure = tagsOf(text).filter(({ attributes }) => 'data-unsure' in attributes)
    expect(unsure.map(({ name, attributes }) => [name, 'hidden' in attributes])).toEqual([
      ['a', true],
      ['section', true],
      ['div', true],
    ])
    expect(text).toContain('this device has no font &quot;Comic Neue&quot;')
    expect(findings).toEqual([])
    expect((await openWith({})).text).not.toMatch(/data-unsure|font\.js/)
  })
})
