import { readdirSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { USUAL_PERSONAS } from '../../src/hosted/choices/usual-personas.ts'
import { renderChoose } from '../../src/hosted/choose-page.ts'
import { renderCreate } from '../../src/hosted/create-page.ts'
import { renderEndingsPage } from '../../src/hosted/driving/endings-page.ts'
import { renderCallbackForm } from '../../src/hosted/ending.ts'
import { renderError } from '../../src/http/html/error-page.ts'
import type { Shell } from '../../src/http/html/layout.ts'
import { LANGUAGES, translate } from '../../src/http/html/messages.ts'
import { byTestId, tagsOf, textOf } from '../support/markup.ts'
import { chooseView, createView, errorView, formPostCallback, shell } from './views.ts'

const publicFolder = new URL('../../public/', import.meta.url)

/** Each page, rendered with all its parts, with every text passed through `change`, in the given shell. */
const PAGES: readonly [
  name: string,
  render: (change?: (text: string) => string, changes?: Partial<Shell>) => string,
][] = [
  [
    'choice',
    (change, changes) => {
      const page = view(chooseView(), change, changes)
      return renderChoose(page, page).html
    },
  ],
  [
    'choice where no passkey works',
    (change, changes) => {
      const page = view(chooseView({ continued: undefined }), change, changes)
      return renderChoose(page, page).html
    },
  ],
  [
    'create',
    (change, changes) => {
      const page = view(createView(), change, changes)
      return renderCreate(page, page).html
    },
  ],
  ['endings', (change, changes) => renderEndingsPage(view(chooseView(), change, changes)).html],
  [
    'callback form',
    (change, changes) => {
      const { shell: changed, ...callback } = view({ ...formPostCallback, shell }, change, changes)
      return renderCallbackForm(callback, changed).html
    },
  ],
  [
    'error',
    (change, changes) => {
      const { refusal, shell: changed } = view(errorView(), change, changes)
      return renderError(refusal, { shell: changed }).html
    },
  ],
]

function view<T extends { readonly shell: Shell }>(
  full: T,
  change = (text: string) => text,
  changes: Partial<Shell> = {},
): T {
  return everyString({ ...full, shell: { ...shell, ...changes } }, change)
}

/** Members with a fixed set of values. */
const FIXED = ['level', 'flow', 'group']

/** Every other text of a view may be any text; the usual personas keep their names, by which the page finds them. */
function everyString<T>(value: T, change: (text: string) => string): T {
  const json = JSON.stringify(value, (key, item: unknown) =>
    typeof item === 'string' && !FIXED.includes(key) && !USUAL_PERSONAS.includes(item) ? change(item) : item,
  )
  return JSON.parse(json)
}

describe.each(PAGES)('the %s page', (_, render) => {
  it('says on top that it is a sandbox for testing and proves nothing', () => {
    const page = render()
    expect(textOf(page)).toMatch(/Sandbox For testing only\. Nothing on this page proves anybody’s age\./)
    expect(byTestId(page, 'sandbox-banner')).toHaveLength(1)
  })

  it('has no inline script, no inline style and no event handler', () => {
    const tags = tagsOf(render())
    const inline = tags.filter(
      ({ name, attributes }) =>
        name === 'style' ||
        (name === 'script' && attributes['src'] === undefined) ||
        Object.keys(attributes).some((attribute) => attribute === 'style' || attribute.startsWith('on')),
    )
    expect(inline).toEqual([])
  })

  it('loads only files that public/ holds', () => {
    const loaded = tagsOf(render())
      .filter(({ name }) => ['script', 'img', 'link'].includes(name))
      .map(({ attributes }) => attributes['src'] ?? attributes['href'] ?? '')
      .filter((url) => !url.startsWith('/_sandbox/logos/'))
    expect(loaded.filter((url) => !url.startsWith(`${shell.assetsPath}/`))).toEqual([])
    const files = readdirSync(publicFolder)
    expect(loaded.map((url) => url.slice(shell.assetsPath.length + 1)).filter((file) => !files.includes(file))).toEqual(
      [],
    )
  })

  it('keeps the same tags and attributes with any texts', () => {
    const shape = (page: string) => tagsOf(page).map(({ name, attributes }) => [name, ...Object.keys(attributes)])
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
      { numRuns: 50 },
    )
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
    expect(new Set(ids).size).toBe(ids.length)
    const references = tags.flatMap(({ attributes }) =>
      ['for', 'aria-labelledby', 'aria-describedby'].flatMap((name) => attributes[name] ?? []),
    )
    expect(references.filter((reference) => !ids.includes(reference))).toEqual([])
  })

  it('closes what it opens, in order', () => {
    const open: string[] = []
    for (const { name } of tagsOf(render())) {
      if (['meta', 'link', 'img', 'input'].includes(name)) continue
      if (name.startsWith('/')) expect(open.pop()).toBe(name.slice(1))
      else open.push(name)
    }
    expect(open).toEqual([])
  })

  it('renders in every language', () => {
    for (const lang of Object.keys(LANGUAGES)) {
      expect(textOf(render(undefined, { lang }))).toContain(translate(lang)('banner.text'))
    }
  })

  it('carries language, direction and theme on its root', () => {
    expect(tagsOf(render())[0]).toEqual({ name: 'html', attributes: { lang: 'en', dir: 'ltr', 'data-theme': 'light' } })
    const changed = render(undefined, { lang: 'ar', dir: 'rtl', theme: 'dark' })
    expect(tagsOf(changed)[0]?.attributes).toEqual({ lang: 'ar', dir: 'rtl', 'data-theme': 'dark' })
  })

  it('links the appearance after its own style sheet, so that the appearance applies', () => {
    const sheets = tagsOf(render(undefined, { appearanceCssPath: '/t/a/appearance.css' }))
      .filter(({ attributes }) => attributes['rel'] === 'stylesheet')
      .map(({ attributes }) => attributes['href'])
    expect(sheets[0]).toBe('/_sandbox/assets/app.css')
    expect(sheets.at(-1)).toBe('/t/a/appearance.css')
  })

  it('weighs less than 100 KB with all that it loads', () => {
    const page = render()
    const assets = [...page.matchAll(/"\/_sandbox\/assets\/([^"]+)"/g)].map(([, file = '']) => file)
    const loaded = [...new Set(assets)].reduce((sum, file) => sum + statSync(new URL(file, publicFolder)).size, 0)
    expect(Buffer.byteLength(page) + loaded).toBeLessThan(100_000)
  })
})

const read = (file: string) => readFileSync(new URL(file, publicFolder), 'utf8')

describe.each(['app.css', 'console.css'])('the style sheet %s', (file) => {
  it('loads nothing from anywhere', () => {
    expect(read(file)).not.toMatch(/@import|url\(|https?:|\/\//)
  })

  it('names no physical side, so that it serves both directions of script', () => {
    const css = read(file)
    expect(css).not.toMatch(/(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|^\s+(?:left|right):/m)
  })
})
