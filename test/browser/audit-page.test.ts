import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { auditedRow, auditReport } from '../cli/audit/reports/sample-report.ts'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { startBrowserAndSandbox, withPage } from './support.ts'

describeWith('chromium', 'the audit page of the console', () => {
  const world = startBrowserAndSandbox()

  /** Opens a report in which one row has a flow of this sandbox. */
  async function openReport(page: Page) {
    await fetch(useUrl(world.sandbox, { sandbox_persona: 'teen-16' }), { redirect: 'manual' })
    const [flow] = await world.sandbox.flows.list()
    const id = flow?.id ?? expect.fail('there is no flow')
    const report = auditReport(
      [
        auditedRow('use/id_token.expired', { verdict: 'let in', flows: [id], family: 'expiry', evidence: 'welcome' }),
        auditedRow('use/id_token.jku', { family: 'key_source', flows: ['f900'] }),
        auditedRow('use/id_token.x5u', { family: 'key_source', flows: [] }),
      ],
      { started_at: flow?.started_at ?? '' },
    )
    await page.goto(`${world.sandbox.baseUrl}/_sandbox/console/audit`)
    const file = { name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(report)) }
    await page.getByLabel('JSON report of an audit').setInputFiles(file)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByTestId('headline').waitFor()
    return id
  }

  it('opens a report, narrows its rows down by verdict and text, and leads to a flow', async () => {
    await withPage(world.browser, {}, async (page) => {
      const flow = await openReport(page)
      expect(await page.getByTestId('headline').textContent()).toBe('failed 1 finding')
      const rows = page.locator('.audit-family tbody tr')
      expect(await rows.filter({ visible: true }).count()).toBe(0)

      await page.getByLabel('Verdict', { exact: true }).selectOption('refused')
      expect(await rows.filter({ visible: true }).count()).toBe(2)
      expect(await page.getByTestId('finding').isVisible()).toBe(false)
      await page.getByLabel('Find', { exact: true }).fill('x5u')
      expect(await rows.filter({ visible: true }).allTextContents()).toEqual([expect.stringContaining('x5u')])
      expect(await page.getByText('1 of 3 rows').isVisible()).toBe(true)
      await page.getByLabel('Find', { exact: true }).fill('')
      await page.getByLabel('Verdict', { exact: true }).selectOption('')
      expect(await rows.filter({ visible: true }).count()).toBe(0)

      await page.getByTestId('finding').getByRole('link', { name: flow, exact: true }).press('Enter')
      await page.waitForURL(`**/_sandbox/console/flows/${flow}`)
    })
  })

  it('has every row and no filter without scripts', async () => {
    await withPage(world.browser, { javaScriptEnabled: false }, async (page) => {
      await openReport(page)
      expect(await page.getByLabel('Verdict', { exact: true }).isVisible()).toBe(false)
      await page.getByTestId('family').last().locator('summary').click()
      expect(await page.locator('.audit-family tbody tr').filter({ visible: true }).count()).toBe(2)
    })
  })

  it('with a report breaks out of no window of 390 px', async () => {
    await withPage(world.browser, { viewport: { width: 390, height: 844 } }, async (page) => {
      await openReport(page)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    })
  })
})
