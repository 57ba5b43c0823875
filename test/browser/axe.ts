import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** A list of forty has the markup of a list of four, and takes axe-core ten times as long. */
const REPEATED = [
  ['.groups li:nth-child(n+3)'],
  ['.groups details:nth-child(n+4)'],
  ['#outcome-list li:nth-child(n+3)'],
]

/** Everything that axe-core finds, a line each. The page runs it, so its context bypasses the content security policy. */
export async function checkAccessibility(page: Page): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`)
  return page.evaluate(`axe.run({ exclude: ${JSON.stringify(REPEATED)} }, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}

/** Buttons, fields and links that are smaller than 44 px in one direction. @param options.except a selector, for links within sentences */
export async function smallTargetsOn(page: Page, { except = ':not(*)' } = {}): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('button, select, summary, input:not([type=hidden], [type=checkbox]), label:has(> input), a')]
    .filter((target) => target.checkVisibility() && !target.matches(${JSON.stringify(except)}))
    .map((target) => ({ target, box: target.getBoundingClientRect() }))
    .filter(({ box }) => box.height < 44 || box.width < 44)
    .map(({ target }) => target.outerHTML)`)
}
