import { readdirSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LANGUAGES, translate } from '../../../../src/server/http/html/messages.ts'
import { byTestId, type Tag, tagsOf, textOf } from '../../../support/markup.ts'
import { HOSTED_PAGES, PAGES } from '../../../workbench/console/views.ts'
import { shell } from '../../pages/views.ts'

const publicFolder = new URL('../../../../public/', import.meta.url)
const files = readdirSync(publicFolder)

/**
 * The names and attributes of the tags; a name may break at each of its dots, and what is selected
 * stays selected.
 */
const shapeOf = (page: string) =>
  tagsOf(page)
    .filter(({ name }) => name !== 'wbr' && name !== 'option')
    .map(({ name, attributes }) => [name, ...Object.keys(attributes)])

test.each(PAGES)(
  'The %s page keeps the same tags and attributes, whatever strings its data holds',
  (_, render) => {
    const expected = shapeOf(render())
    const attacks = fc.constantFrom('"><script>', "' onload='x", '</form><!--', '&quot;', '\0')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), attacks, (text, attack) => {
        // The original stays at the end, so that different names stay different.
        expect(shapeOf(render((original) => `${attack}${text}${original}`))).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  },
)

test.each(PAGES)(
  'The %s page says on top that it is a sandbox, and on the console what is set',
  (pageName, render) => {
    const page = render()
    expect(textOf(page)).toMatch(
      /Sandbox For testing only\. Nothing on this page proves anybody’s age\./,
    )
    const isOpen = pageName === 'sign-in' || HOSTED_PAGES.some(([name]) => name === pageName)
    const count = (id: string) => byTestId(page, id).length
    expect(count('sandbox-banner')).toBe(1)
    expect(count('mode-clock')).toEqual(isOpen ? 0 : 1)
  },
)

test.each(PAGES)(
  'The %s page closes what it opens, has one h1, one main, no gap in headings or ids',
  (_, render) => {
    const tags = tagsOf(render())
    const open: string[] = []
    for (const { name } of tags.filter(
      (tag) => !['meta', 'link', 'img', 'input', 'wbr'].includes(tag.name),
    )) {
      if (name.startsWith('/')) expect(open.pop()).toBe(name.slice(1))
      else open.push(name)
    }
    const names = tags.map(({ name }) => name)
    const levels = names.filter((name) => /^h[1-6]$/.test(name)).map((name) => Number(name[1]))
    const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? [])
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    const references = ['for', 'aria-labelledby', 'aria-describedby', 'list']
    const dangling = tags
      .flatMap(({ attributes }) => references.map((name) => attributes[name]))
      .filter((id) => id !== undefined && !ids.includes(id))
    expect(names.filter((name) => name === 'h1' || name === 'main').toSorted()).toEqual([
      'h1',
      'main',
    ])
    expect({ open, skipped, twice, dangling }).toEqual({
      open: [],
      skipped: [],
      twice: [],
      dangling: [],
    })
  },
)

test.each(PAGES)(
  'The %s page has nothing inline, loads files of public/ alone, sends no form by GET',
  (_, render) => {
    const tags = tagsOf(render())
    const isInline = ({ name, attributes }: Tag) =>
      name === 'style' ||
      (name === 'script' && attributes['src'] === undefined) ||
      Object.keys(attributes).some(
        (attribute) => attribute === 'style' || attribute.startsWith('on'),
      )
    const foreign = tags
      .filter(({ name }) => ['script', 'img', 'link'].includes(name))
      .map(({ attributes }) => attributes['src'] ?? attributes['href'] ?? '')
      .filter((url) => !url.startsWith('/_sandbox/logos/'))
      .filter((url) => !files.some((file) => url === `${shell.assetsPath}/${file}`))
    const byGet = tags.filter(
      ({ name, attributes }) =>
        name === 'form' && attributes['method'] !== 'post' && 'action' in attributes,
    )
    expect({ inline: tags.filter(isInline), foreign, byGet }).toEqual({
      inline: [],
      foreign: [],
      byGet: [],
    })
  },
)

test.each(HOSTED_PAGES)(
  'The hosted %s page has language and theme of its request, its appearance last',
  (...row) => {
    const [, render] = row
    expect(tagsOf(render())[0]).toEqual({
      name: 'html',
      attributes: { lang: 'en', dir: 'ltr', 'data-theme': 'light' },
    })
    const appearanceCssPath = '/t/a/appearance.css'
    for (const lang of Object.keys(LANGUAGES)) {
      const page = render(undefined, { lang, dir: 'rtl', theme: 'dark', appearanceCssPath })
      const tags = tagsOf(page)
      expect(tags[0]?.attributes).toEqual({ lang, dir: 'rtl', 'data-theme': 'dark' })
      const sheets = tags.filter(({ attributes }) => attributes['rel'] === 'stylesheet')
      const hrefs = sheets.map(({ attributes }) => attributes['href'])
      expect(hrefs[0]).toBe(`${shell.assetsPath}/app.css`)
      expect(hrefs.at(-1)).toEqual(appearanceCssPath)
      expect(textOf(page)).toContain(translate(lang)('banner.text'))
    }
  },
)

test.each(['app.css', 'console.css'])(
  'The style sheet %s loads nothing, and names no physical side',
  (file) => {
    const css = readFileSync(new URL(file, publicFolder), 'utf8')
    expect(css).not.toMatch(/@import|url\(|https?:|\/\//)
    expect(css).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|^\s+(?:left|right):/m,
    )
  },
)

test('All files of public/, of which a page loads a part, weigh less than a page may', () => {
  expect(
    files.reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0),
  ).toBeLessThan(100_000)
})
