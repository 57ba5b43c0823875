import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { MIXED } from '../cli/audit/reports/sample-report.ts'
import { connectChromium } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { smallTargetsOn } from './axe.ts'
import { useUrl } from './requests.ts'
import { keepScreenshot, withPage } from './support.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Everything that axe-core finds with every section open, a line each. */
async function violationsOn(page: Page): Promise<string[]> {
  return page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`)
}

const CONSOLE = '/_sandbox/console'
const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  'console-flows': `${CONSOLE}/flows`,
  'console-flows-by-rule': `${CONSOLE}/flows?group=rule`,
  'console-flow': `${CONSOLE}/flows/f1`,
  'console-two-flows': `${CONSOLE}/flows/compare?a=f1&b=f2`,
  'console-refused-flow': `${CONSOLE}/flows/f2`,
  'console-audit': `${CONSOLE}/audit`,
  'console-coverage': `${CONSOLE}/coverage`,
  'console-personas': `${CONSOLE}/personas?q=teen`,
  'console-outcomes': `${CONSOLE}/outcomes?flow=create`,
  'console-expectations': `${CONSOLE}/expectations`,
  'console-outcome': `${CONSOLE}/outcomes/use/id_token.signature_bit_flipped`,
  'console-scenarios': `${CONSOLE}/scenarios`,
  'console-clients': `${CONSOLE}/clients`,
  'console-clock': `${CONSOLE}/clock`,
  'console-rules': `${CONSOLE}/rules?q=PAR`,
  'console-tenants': `${CONSOLE}/tenants`,
  demo: '/_sandbox/demo',
}

describeWith('chromium', 'a page of the console', () => {
  let browser: Browser
  let sandbox: Sandbox
  beforeAll(async () => {
    ;[browser, sandbox] = await Promise.all([
      connectChromium(),
      createSandbox({ lastAudit: () => JSON.stringify(MIXED) }),
    ])
    await fetch(useUrl(sandbox, { sandbox_persona: 'teen-16', scope: 'openid svc.upgrade' }), { redirect: 'manual' })
    await fetch(useUrl(sandbox, { nonce: undefined }), { redirect: 'manual' })
    await sandbox.next({ persona: 'teen-16', match: { state: 'never' } })
    await sandbox.scenarios.arm({ name: 'Never', steps: [{ clock: { advance: 60 } }, { await: 'par' }] })
    await sandbox.tenant('qa').reset()
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
  })

  const looks = Object.keys(PAGES).flatMap((name) =>
    (['light', 'dark'] as const).flatMap((scheme) => [320, 1280].map((width) => [name, scheme, width] as const)),
  )

  it.each(looks)(
    '%s in %s at %i px has nothing that axe finds, no small target and no sideways scrolling',
    async (name, colorScheme, width) => {
      const options = { colorScheme, viewport: { width, height: 800 }, bypassCSP: true }
      await withPage(browser, options, async (page) => {
        await page.goto(`${sandbox.baseUrl}${PAGES[name]}`)
        await keepScreenshot(page, `${name}-${colorScheme}-${width}`)
        await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
        await page.addScriptTag({ content: axe })
        expect(await violationsOn(page)).toEqual([])
        expect(await smallTargetsOn(page, { except: 'p:not(.links) > a' })).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      })
    },
  )
})
