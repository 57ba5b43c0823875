import { readdirSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { USUAL_PERSONAS } from '../../src/hosted/choices/usual-personas.ts'
import { renderChoose } from '../../src/hosted/choose-page.ts'
import { renderCreate } from '../../src/hosted/create-page.ts'
import { renderEndingsPage } from '../../src/hosted/driving/endings-page.ts'
import { renderCallbackForm } from '../../src/hosted/ending.ts'
import { renderError } from '../../src/http/html/error-page.ts'
import type { RenderedPage, Shell } from '../../src/http/html/layout.ts'
import { LANGUAGES, translate } from '../../src/http/html/messages.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { chooseView, createView, errorView, formPostCallback, shell } from './views.ts'

const publicFolder = new URL('../../public/', import.meta.url)

/** Renders a page with all its parts, with every text passed through `change`, in the given shell. */
type Render = (change?: (text: string) => string, changes?: Partial<Shell>) => string

const page =
  <View extends { readonly shell: Shell }>(full: View, render: (view: View) => RenderedPage): Render =>
  (change = (text) => text, changes = {}) =>
    render(everyString({ ...full, shell: { ...shell, ...changes } }, change)).html

const PAGES: readonly [name: string, Render][] = [
  ['choice', page(chooseView(), (view) => renderChoose(view, view))],
  ['choice where no passkey works', page(chooseView({ continued: undefined }), (view) => renderChoose(view, view))],
  ['create', page(createView(), (view) => renderCreate(view, view))],
  ['endings', page(chooseView(), renderEndingsPage)],
  ['callback form', page({ ...formPostCallback, shell }, ({ shell, ...sent }) => renderCallbackForm(sent, shell))],
  ['error', page(errorView(), ({ refusal, shell }) => renderError(refusal, { shell }))],
]

/** Members with a fixed set of values. */
const FIXED = ['level', 'flow', 'group']

/** Changes every other text of a view but the names of the usual personas, by which the page finds them. */
function everyString<T>(value: T, change: (text: string) => string): T {
  const json = JSON.stringify(value, (key, item: unknown) =>
    typeof item === 'string' && !FIXED.includes(key) && !USUAL_PERSONAS.includes(item) ? change(item) : item,
  )
  return JSON.parse(json)
}

test.each(PAGES)('The %s page says on top, in each language, that it is for tests and proves nothing', (_, render) => {
  expect(textOf(render())).toMatch(/Sandbox For testing only\. Nothing on this page proves anybody’s age\./)
  expect(byTestId(render(), 'sandbox-banner')).toHaveLength(1)
  for (const lang of Object.keys(LANGUAGES)) {
    expect(textOf(render(undefined, { lang }))).toContain(translate(lang)('banner.text'))
  }
})

test.each(PAGES)('The %s page loads less than 100 KB, all from public/, and holds no script or style', (_, render) => {
  const tags = tagsOf(render())
  const inline = tags.filter(
    ({ name, attributes }) =>
      name === 'style' ||
      (name === 'script' && attributes['src'] === undefined) ||
      Object.keys(attributes).some((attribute) => attribute === 'style' || attribute.startsWith('on')),
  )
  expect(inline).toEqual([])
  const loaded = tags
    .filter(({ name }) => ['script', 'img', 'link'].includes(name))
    .map(({ attributes }) => attributes['src'] ?? attributes['href'] ?? '')
    .filter((url) => !url.startsWith('/_sandbox/logos/'))
  const files = readdirSync(publicFolder).map((file) => `${shell.assetsPath}/${file}`)
  expect(loaded.filter((url) => !files.includes(url))).toEqual([])
  const sizes = [...new Set(loaded)].map((url) => statSync(new URL(url.split('/').at(-1) ?? '', publicFolder)).size)
  expect(sizes.reduce((sum, size) => sum + size, Buffer.byteLength(render()))).toBeLessThan(100_000)
})

test.each(PAGES)('The %s page keeps the same tags and attributes with any texts', (_, render) => {
  const shape = (html: string) => tagsOf(html).map(({ name, attributes }) => [name, ...Object.keys(attributes)])
  const expected = shape(render())
  const attacks = fc.constantFrom('"><script>', "' onload='x", '</form><!--', '&quot;', '\0')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), attacks, (text, attack) => {
      // The original stays at the end, so that different names stay different.
      expect(shape(render((original) => `${attack}${text}${original}`))).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})

test.each(PAGES)('The %s page closes its tags, has one h1 and one main, and skips no level of heading', (_, render) => {
  const names = tagsOf(render()).map(({ name }) => name)
  const levels = names.filter((name) => /^h[1-6]$/.test(name)).map((name) => Number(name[1]))
  expect(levels.filter((level) => level === 1)).toHaveLength(1)
  expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
  expect(names.filter((name) => name === 'main')).toHaveLength(1)
  const open: string[] = []
  for (const name of names) {
    if (['meta', 'link', 'img', 'input'].includes(name)) continue
    if (name.startsWith('/')) expect(open.pop()).toBe(name.slice(1))
    else open.push(name)
  }
  expect(open).toEqual([])
})

test.each(PAGES)('The %s page gives an id once, and points labels and descriptions at ids that exist', (_, render) => {
  const tags = tagsOf(render())
  const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  const references = tags.flatMap(({ attributes }) =>
    ['for', 'aria-labelledby', 'aria-describedby'].flatMap((name) => attributes[name] ?? []),
  )
  expect(references.filter((reference) => !ids.includes(reference))).toEqual([])
})

test.each(PAGES)('The %s page carries language, direction and theme, and links the appearance last', (_, render) => {
  expect(tagsOf(render())[0]).toEqual({ name: 'html', attributes: { lang: 'en', dir: 'ltr', 'data-theme': 'light' } })
  const appearanceCssPath = '/t/a/appearance.css'
  const tags = tagsOf(render(undefined, { lang: 'ar', dir: 'rtl', theme: 'dark', appearanceCssPath }))
  expect(tags[0]?.attributes).toEqual({ lang: 'ar', dir: 'rtl', 'data-theme': 'dark' })
  const sheets = tags.filter(({ attributes }) => attributes['rel'] === 'stylesheet')
  const hrefs = sheets.map(({ attributes }) => attributes['href'])
  expect([hrefs[0], hrefs.at(-1)]).toEqual(['/_sandbox/assets/app.css', appearanceCssPath])
})

test.each(['app.css', 'console.css'])('The style sheet %s loads nothing, and names no physical side', (file) => {
  const css = readFileSync(new URL(file, publicFolder), 'utf8')
  expect(css).not.toMatch(/@import|url\(|https?:|\/\//)
  expect(css).not.toMatch(/(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|^\s+(?:left|right):/m)
})
