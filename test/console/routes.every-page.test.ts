import { readdirSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { frame, PAGES } from './views.ts'

const publicFolder = new URL('../../public/', import.meta.url)

describe.each(PAGES)('the %s page', (pageName, render) => {
  it('keeps the same tags and attributes, whatever strings its data holds', () => {
    // A name may break at each of its dots.
    const shape = (page: string) =>
      tagsOf(page)
        .filter(({ name }) => name !== 'wbr')
        .map(({ name, attributes }) => [name, ...Object.keys(attributes)])
    const expected = shape(render())
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('"><script>', "' onload='x", '</form><!--', '&quot;', '\0'),
        (text, attack) => {
          // The original stays at the end, so that different names stay different; what is selected stays selected.
          const hostile = shape(render((original) => `${attack}${text}${original}`))
          expect(hostile.filter(([name]) => name !== 'option')).toEqual(expected.filter(([name]) => name !== 'option'))
        },
      ),
      { numRuns: 30 },
    )
  })

  it('says on top that it is a sandbox for testing and proves nothing', () => {
    expect(textOf(render())).toMatch(/Sandbox For testing only\. Nothing on this page proves anybody’s age\./)
    expect(byTestId(render(), 'sandbox-banner')).toHaveLength(1)
  })

  it('shows what is set, in the frame that every page has', () => {
    const isOpen = byTestId(render(), 'mode-clock').length
    expect(isOpen).toBe(pageName === 'sign-in' ? 0 : 1)
  })

  it('has no inline script, no inline style and no event handler', () => {
    const inline = tagsOf(render()).filter(
      ({ name, attributes }) =>
        name === 'style' ||
        (name === 'script' && attributes['src'] === undefined) ||
        Object.keys(attributes).some((attribute) => attribute === 'style' || attribute.startsWith('on')),
    )
    expect(inline).toEqual([])
  })

  it('loads only files that public/ holds', () => {
    const prefix = `${frame.shell.assetsPath}/`
    const loaded = tagsOf(render())
      .filter(({ name }) => ['script', 'img', 'link'].includes(name))
      .map(({ attributes }) => attributes['src'] ?? attributes['href'] ?? '')
    const files = readdirSync(publicFolder)
    expect(loaded.filter((url) => !url.startsWith(prefix) || !files.includes(url.slice(prefix.length)))).toEqual([])
  })

  it('has one h1, skips no level of heading and has one main', () => {
    const names = tagsOf(render()).map(({ name }) => name)
    const levels = names.filter((name) => /^h[1-6]$/.test(name)).map((name) => Number(name[1]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
    expect(names.filter((name) => name === 'main')).toHaveLength(1)
  })

  it('gives an id once, and points labels and descriptions only at ids that exist', () => {
    const tags = tagsOf(render())
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? [])
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const references = tags.flatMap(({ attributes }) =>
      ['for', 'aria-labelledby', 'aria-describedby', 'list'].flatMap((name) => attributes[name] ?? []),
    )
    expect(references.filter((reference) => !ids.includes(reference))).toEqual([])
  })

  it('closes what it opens, in order', () => {
    const open: string[] = []
    for (const { name } of tagsOf(render())) {
      if (['meta', 'link', 'img', 'input', 'wbr'].includes(name)) continue
      if (name.startsWith('/')) expect(open.pop()).toBe(name.slice(1))
      else open.push(name)
    }
    expect(open).toEqual([])
  })

  it('changes nothing by a link: what changes state is a form that posts', () => {
    const forms = tagsOf(render()).filter(({ name, attributes }) => name === 'form' && attributes['method'] !== 'post')
    expect(forms.filter(({ attributes }) => attributes['action'] !== undefined)).toEqual([])
  })
})

describe('public/', () => {
  it('is small: all of it, of which a page loads a part, weighs less than a page may', () => {
    const bytes = readdirSync(publicFolder).reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0)
    expect(bytes).toBeLessThan(100_000)
  })
})
