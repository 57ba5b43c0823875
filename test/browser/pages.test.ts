import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { CONSOLE_PAGES } from '../../src/http/html/console-page.ts'
import { MIXED } from '../cli/audit/reports/sample-report.ts'
import type { Changes } from '../support/requests.ts'
import { describeWith } from '../support/tools.ts'
import { createUrl, useUrl, whyUrl } from './requests.ts'
import { keepScreenshot, startWorld } from './support.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Readies a page for axe-core: a list of four has the markup of a list of forty, which takes axe-core ten times as long. */
async function loadAxe(page: Page) {
  const repeated = ['.groups li:nth-child(n+3)', '.groups details:nth-child(n+4)', 'tbody tr:nth-child(n+5)']
  const lists = [...repeated, '#outcome-list li:nth-child(n+3)', '.audit-family:nth-of-type(n+4)']
  await page.evaluate(`for (const one of document.querySelectorAll(${JSON.stringify(lists.join())})) one.remove()`)
  await page.evaluate(axe)
}

/** What axe-core finds, a line each. */
const violationsOn = (page: Page, rules = RULES): Promise<string[]> =>
  page.evaluate(`axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)

/** The letters of a narrow font, in lines as low as a font can make them: no target may depend on the fonts of a device. */
const NARROW_FONT = `(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { letter-spacing: -0.25em !important; line-height: 1 !important }')
  document.adoptedStyleSheets = [sheet]
})()`
const OWN_FONT = 'document.adoptedStyleSheets = []'

/** Buttons, fields and links that are smaller than 44 px in one direction; a link within a sentence may be. */
const smallTargetsOn = (page: Page, except: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('button, select, summary, input:not([type=hidden], [type=checkbox]), label:has(> input), a')]
    .filter((target) => target.checkVisibility() && !target.matches(${JSON.stringify(except)}))
    .map((target) => ({ target, box: target.getBoundingClientRect() }))
    .filter(({ box }) => box.height < 44 || box.width < 44)
    .slice(0, 4).map(({ target, box }) => box.width + ' x ' + box.height + ': ' + target.outerHTML)`)

/** Words that stand on two lines. A hyphen, a slash and a `<wbr>` may end a line; random tokens are longer than any word, and JSON is no prose. */
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

/** Opens every section, and waits for what a section loads. */
async function openSections(page: Page) {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
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
const COLOURED = {
  primary_color: 'gold',
  secondary_color: '#b00',
  background_color: '#fffaf0',
  text_color: '#777',
  text_align: 'center',
  button_radius: '24',
  gradient: 'true',
  font: 'DejaVu Serif',
}
const CONSOLE = '/_sandbox/console'
const CHANGED = {
  claims: '{"age_thresholds":[13,16,18,21],"verified_after":"2026-01-01"}',
  change: 'with documents only',
}

/** Pages of the console have a low head, no word in two lines, and large targets outside of sentences. */
const FRAMED: Readonly<Record<string, string>> = {
  home: '/',
  demo: '/_sandbox/demo',
  ...Object.fromEntries(CONSOLE_PAGES.map(({ path }) => [path, `${CONSOLE}/${path}`])),
  'flows-by-rule': `${CONSOLE}/flows?group=rule`,
  flow: `${CONSOLE}/flows/f1`,
  'refused-flow': `${CONSOLE}/flows/f2`,
  'two-flows': `${CONSOLE}/flows/compare?a=f1&b=f2`,
  outcome: `${CONSOLE}/outcomes/use/id_token.signature_bit_flipped`,
  'playground-changed': `${CONSOLE}/playground?${new URLSearchParams(CHANGED)}`,
  'playground-refused': `${CONSOLE}/playground?${new URLSearchParams({ claims: '{"age_treshold":[18]}' })}`,
}
const DOCUMENTS = ['docs', 'docs/readme', 'docs/agents', 'docs/rules', 'docs/search?q=redirect_uri']

/** Their texts hold addresses and paths of members, which may break anywhere. */
const WITH_ADDRESSES = ['refused-flow', 'two-flows']

/** Each layout is checked whole in a wide window too, where menus and columns stand elsewhere. */
const LAYOUTS = ['choose', 'create', 'home', 'flows', 'flow', 'audit', 'outcomes', 'playground-changed', 'docs/readme']

describeWith('chromium', 'every page', () => {
  const world = startWorld(() => ({ lastAudit: () => JSON.stringify(MIXED) }))
  beforeAll(async () => {
    const { sandbox } = world
    await sandbox.clock.advance(93_600)
    const spoiled = { sandbox_outcome: 'id_token.signature_bit_flipped', scope: 'openid svc.upgrade' }
    await fetch(useUrl(sandbox, { sandbox_persona: 'teen-16', ...spoiled }), { redirect: 'manual' })
    await fetch(useUrl(sandbox, { nonce: undefined }), { redirect: 'manual' })
    for (const persona of ['teen-16', 'child-12']) await sandbox.next({ persona, match: { state: 'never' } })
    await sandbox.scenarios.arm({ name: 'Never', steps: [{ clock: { advance: 60 } }, { await: 'par' }] })
    await sandbox.tenant('qa').reset()
  })

  const use = (changes: Changes) => useUrl(world.sandbox, { theme: 'system', ...changes })
  const create = (changes: Changes = {}) => createUrl(world.sandbox, { theme: 'system', ...changes })
  const HOSTED: Readonly<Record<string, () => string | Promise<string>>> = {
    choose: () => use({ can_create: 'true', scope: 'openid svc.upgrade', theme_colour: 'red' }),
    'choose-arabic': () => use({ language: 'ar' }),
    'choose-coloured': () => use(COLOURED),
    'choose-dark-background': () => use({ background_color: '#222', primary_color: 'navy' }),
    'choose-web-view': () => use({ can_create: 'true', theme_colour: 'red' }),
    create: () => create(),
    'create-web-view': () => create({ language: 'de' }),
    why: () => whyUrl(world.sandbox, 'teen-16', { theme: 'system' }),
    closed: () => use({ sandbox_outcome: 'no_answer' }),
    error: () => use({ redirect_uri: 'https://elsewhere.example/' }),
    embedding: () => '/_sandbox/embedding',
  }

  const rows = [
    ...Object.entries(FRAMED).map(([name, path]) => ({ name, address: () => path, kind: 'framed' as const })),
    ...Object.entries(HOSTED).map(([name, address]) => ({ name, address, kind: 'hosted' as const })),
    ...DOCUMENTS.map((name) => ({ name, address: () => `/_sandbox/${name}`, kind: 'document' as const })),
  ]
  test.each(rows)(
    'The page $name suits narrow and wide windows, light and dark, and keeps to its policy',
    async (row) => {
      const { name, address, kind } = row
      const page = await world.newPage({
        viewport: { width: 390, height: 844 },
        reducedMotion: 'reduce',
        ...(name.endsWith('-web-view') ? { userAgent: WEB_VIEW } : {}),
      })
      const messages: string[] = []
      page.on('console', (message) => messages.push(message.text()))
      page.on('pageerror', (error) => messages.push(error.message))
      const origins = new Set<string>()
      page.on('request', (request) => origins.add(new URL(request.url()).origin))
      const response = await page.goto(new URL(await address(), world.sandbox.baseUrl).href)
      expect(response?.headers()['content-security-policy']).not.toMatch(/unsafe|\*|data:/)

      if (kind !== 'hosted') expect(await heightOfHead(page), 'height of the head at 390 px').toBeLessThanOrEqual(135)
      if (kind === 'framed' && !WITH_ADDRESSES.includes(name))
        expect(await brokenWordsOn(page), 'words in two lines').toEqual([])
      await openSections(page)
      expect(await sideways(page), 'sideways scrolling at 390 px').toEqual([])

      await page.setViewportSize({ width: 1280, height: 800 })
      if (kind !== 'hosted') expect(await heightOfHead(page), 'height of the head at 1280 px').toBeLessThanOrEqual(120)
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
      await page.setViewportSize({ width: 1280, height: 800 })
      await keepScreenshot(page, `${name}-dark-1280`)
      if (!LAYOUTS.includes(name)) return
      expect(await violationsOn(page), 'axe at 1280 px, dark').toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await violationsOn(page, ['color-contrast']), 'contrast at 1280 px, light').toEqual([])
    },
  )
})
