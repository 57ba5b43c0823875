import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { MIXED } from '../audit/report/sample-report.ts'
import { describeWith } from '../support/tools.ts'
import { DESK, keepScreenshot, NARROW, startWorld } from './support.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Shortens long lists for axe-core: four items have the markup of forty, which take axe-core ten
 * times as long.
 */
export async function loadAxe(page: Page) {
  const lists = [
    '.groups li:nth-child(n+3)',
    '.groups details:nth-child(n+4)',
    '#outcome-list li:nth-child(n+3)',
  ]
  lists.push('tbody tr:nth-child(n+5)', 'tbody:nth-of-type(n+5)', 'datalist :nth-child(n+3)')
  lists.push(
    '.dense:nth-of-type(n+6)',
    '.coverage-gaps li:nth-child(n+3)',
    '.audit-family:nth-of-type(n+4)',
  )
  await page.evaluate(
    `for (const one of document.querySelectorAll(${JSON.stringify(lists.join())})) one.remove()`,
  )
  await page.evaluate(axe)
}

/** The violations that axe-core finds, a line each. */
export const violationsOn = (page: Page, rules = RULES): Promise<string[]> =>
  page.evaluate(`axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)

/**
 * The widths of a narrow font, in the lowest lines that a font can cause: no target may depend on
 * the fonts of a device.
 */
const NARROW_FONT = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { letter-spacing: -0.25em !important; line-height: 1 !important }')
  document.adoptedStyleSheets = [sheet]
})()`
const OWN_FONT = 'document.adoptedStyleSheets = []'

/**
 * Buttons, fields and links that are smaller than 44 px in one direction; a link within a sentence
 * may be.
 */
const smallTargetsOn = (page: Page, except: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, select, summary, input:not([type=hidden], [type=checkbox]), label:has(> input), a')]
    .filter((target) => target.checkVisibility() && !target.matches(${JSON.stringify(except)}))
    .map((target) => ({ target, box: target.getBoundingClientRect() }))
    .filter(({ box }) => box.height < 44 || box.width < 44)
    .slice(0, 4).map(({ target, box }) => box.width + ' x ' + box.height + ': ' + target.outerHTML)`)

/**
 * Words on two lines. A hyphen, a slash and a `<wbr>` may end a line; random tokens are longer than
 * any word, and JSON is no prose.
 */
const brokenWordsOn = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const broken = []
    for (const element of document.querySelectorAll('main .name, main .whole, main h1, main h2, main h3, main th, main td, main label, main .tag, main .mark, main p, main code, main .effect strong')) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (text.parentElement.closest('pre') || text.data.startsWith('{') || !text.parentElement.checkVisibility()) continue
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
          if (word.length > 24) continue
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)))
          if (lines.size > 1) broken.push(word + ' in ' + element.textContent.slice(0, 60))
        }
      }
    }
    return broken
  })()`)

/** Opens every section, and waits for loaded content. */
async function openSections(page: Page) {
  await page.evaluate(
    'for (const details of document.querySelectorAll("details")) details.open = true',
  )
  await page.locator('details[data-load] form > a').waitFor({ state: 'detached' })
}

const heightOfHead = (page: Page) =>
  page.evaluate<number>('document.querySelector("header.top").getBoundingClientRect().height')
/** What makes a page scroll sideways. */
const sideways = (page: Page) =>
  page.evaluate<
    string[]
  >(`document.documentElement.scrollWidth <= innerWidth ? [] : ['the page', ...[...document.querySelectorAll('body *')]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 100))]`)

const WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 Version/4.0 Chrome/126 Mobile Safari/537.36'

/** These texts contain URLs and paths of members, which may break anywhere. */
const WITH_ADDRESSES = ['refused-flow', 'two-flows']

/**
 * The requested rows are open; of any other page at most 3,000 px are visible before a part is
 * opened.
 */
const WITH_OPEN_ROWS = ['playground-changed']

/** Each layout is checked in a wide window too, where menus and columns stand elsewhere. */
const LAYOUTS = [
  'choose',
  'create',
  'home',
  'flows',
  'flow',
  'audit',
  'outcomes',
  'playground-changed',
  'docs/readme',
]

/**
 * A page. A framed page of the console is short on a phone, with a low header, no word on two
 * lines, and large targets outside of sentences.
 */
interface Row {
  readonly name: string
  readonly kind: 'framed' | 'hosted' | 'document'
  readonly address: (sandbox: Sandbox) => string | Promise<string>
}

/** Tests each page; the pages of a file share a browser page. */
export function testPages(
  rows: readonly Row[],
  prepare: (sandbox: Sandbox) => Promise<unknown>,
): void {
  describeWith('chromium', 'Every page', () => {
    const world = startWorld(() => ({ lastAudit: () => JSON.stringify(MIXED) }))
    const messages: string[] = []
    const origins = new Set<string>()
    let shared: Page
    async function openPage(options = {}) {
      const page = await world.keepPage({ reducedMotion: 'reduce', ...options })
      page.on('console', (message) => messages.push(message.text()))
      page.on('pageerror', (error) => messages.push(error.message))
      page.on('request', (request) => origins.add(new URL(request.url()).origin))
      return page
    }
    beforeAll(async () => {
      await prepare(world.sandbox)
      shared = await openPage()
    })

    test.each(rows)(
      'The page $name suits narrow and wide windows, light and dark, and keeps to its policy',
      async ({ name, address, kind }) => {
        const page = name.endsWith('-web-view') ? await openPage({ userAgent: WEB_VIEW }) : shared
        await page.context().clearCookies()
        await page.emulateMedia({ colorScheme: 'light' })
        await page.setViewportSize(NARROW.viewport)
        messages.length = 0
        origins.clear()
        const response = await page.goto(
          new URL(await address(world.sandbox), world.sandbox.baseUrl).href,
        )
        expect(response?.headers()['content-security-policy']).not.toMatch(/unsafe|\*|data:/)

        if (kind !== 'hosted')
          expect(await heightOfHead(page), 'height of the head at 390 px').toBeLessThanOrEqual(135)
        if (kind === 'framed' && !WITH_OPEN_ROWS.includes(name))
          expect(
            await page.evaluate('document.documentElement.scrollHeight'),
            'height',
          ).toBeLessThanOrEqual(3_000)
        if (kind === 'framed' && !WITH_ADDRESSES.includes(name))
          expect(await brokenWordsOn(page), 'words in two lines').toEqual([])
        await openSections(page)
        expect(await sideways(page), 'sideways scrolling at 390 px').toEqual([])

        await page.setViewportSize(DESK.viewport)
        if (kind !== 'hosted')
          expect(await heightOfHead(page), 'height of the head at 1280 px').toBeLessThanOrEqual(120)
        expect(await sideways(page), 'sideways scrolling at 1280 px').toEqual([])
        const targets = { framed: 'p:not(.links) > a', hosted: ':not(*)', document: 'main a' }[kind]
        await page.evaluate(NARROW_FONT)
        expect(await smallTargetsOn(page, targets), 'small targets at 1280 px').toEqual([])
        await page.setViewportSize({ width: 320, height: 800 })
        expect(await smallTargetsOn(page, targets), 'small targets at 320 px').toEqual([])
        await page.evaluate(OWN_FONT)
        expect(await sideways(page), 'sideways scrolling at 320 px').toEqual([])
        expect(messages.filter((message) => !/status of 400/.test(message))).toEqual([])
        expect([...origins]).toEqual([world.sandbox.baseUrl])

        await loadAxe(page)
        await keepScreenshot(page, `${name}-light-320`)
        expect(await violationsOn(page), 'axe at 320 px, light').toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await violationsOn(page, ['color-contrast']), 'contrast at 320 px, dark').toEqual([])
        await page.setViewportSize(DESK.viewport)
        await keepScreenshot(page, `${name}-dark-1280`)
        if (!LAYOUTS.includes(name)) return
        expect(await violationsOn(page), 'axe at 1280 px, dark').toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
        expect(await violationsOn(page, ['color-contrast']), 'contrast at 1280 px, light').toEqual(
          [],
        )
      },
    )
  })
}
