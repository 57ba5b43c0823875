import { readdirSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { frame, PAGES } from './views.ts'

const publicFolder = new URL('../../public/', import.meta.url)
const files = readdirSync(publicFolder)

/** Elements that have no end tag. */
const VOID = ['meta', 'link', 'img', 'input', 'wbr']

test.each(PAGES)('The %s page keeps the same tags and attributes, whatever strings its data holds', (_, render) => {
  // A name may break at each of its dots, and what is selected stays selected.
  const shape = (page: string) =>
    tagsOf(page)
      .filter(({ name }) => name !== 'wbr' && name !== 'option')
      .map(({ name, attributes }) => [name, ...Object.keys(attributes)])
  const expected = shape(render())
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"><script>', "' onload='x", '</form><!--', '&quot;', '\0'),
      (text, attack) => {
        // The original stays at the end, so that different names stay different.
        expect(shape(render((original) => `${attack}${text}${original}`))).toEqual(expected)
      },
    ),
    { numRuns: 30 },
  )
})

test.each(PAGES)('The %s page says on top that it is a sandbox, and shows what is set', (pageName, render) => {
  const page = render()
  expect(textOf(page)).toMatch(/Sandbox For testing only\. Nothing on this page proves anybody’s age\./)
  const count = (id: string) => byTestId(page, id).length
  expect([count('sandbox-banner'), count('mode-clock')]).toEqual([1, pageName === 'sign-in' ? 0 : 1])
})

test.each(PAGES)(
  'The %s page closes what it opens, and has one h1, one main, no gap in headings or ids',
  (_, render) => {
    const tags = tagsOf(render())
    const open: string[] = []
    for (const { name } of tags.filter((tag) => !VOID.includes(tag.name))) {
      if (name.startsWith('/')) expect(open.pop()).toBe(name.slice(1))
      else open.push(name)
    }
    const names = tags.map(({ name }) => name)
    const parts = names.filter((name) => name === 'h1' || name === 'main').toSorted()
    const levels = names.filter((name) => /^h[1-6]$/.test(name)).map((name) => Number(name[1]))
    const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? [])
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    const dangling = tags
      .flatMap(({ attributes }) =>
        ['for', 'aria-labelledby', 'aria-describedby', 'list'].map((name) => attributes[name]),
      )
      .filter((id) => id !== undefined && !ids.includes(id))
    expect(parts).toEqual(['h1', 'main'])
    expect({ open, skipped, twice, dangling }).toEqual({ open: [], skipped: [], twice: [], dangling: [] })
  },
)

test.each(PAGES)(
  'The %s page has nothing inline, loads only files of public/, and sends no form by GET',
  (_, render) => {
    const tags = tagsOf(render())
    const inline = tags.filter(
      ({ name, attributes }) =>
        name === 'style' ||
        (name === 'script' && attributes['src'] === undefined) ||
        Object.keys(attributes).some((attribute) => attribute === 'style' || attribute.startsWith('on')),
    )
    const foreign = tags
      .filter(({ name }) => ['script', 'img', 'link'].includes(name))
      .map(({ attributes }) => attributes['src'] ?? attributes['href'] ?? '')
      .filter((url) => !files.some((file) => url === `${frame.shell.assetsPath}/${file}`))
    const byGet = tags.filter(
      ({ name, attributes }) => name === 'form' && attributes['method'] !== 'post' && 'action' in attributes,
    )
    expect({ inline, foreign, byGet }).toEqual({ inline: [], foreign: [], byGet: [] })
  },
)

test('All files of public/, of which a page loads a part, weigh less than a page may', () => {
  const bytes = files.reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0)
  expect(bytes).toBeLessThan(100_000)
})
