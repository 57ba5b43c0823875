import { beforeEach, expect, test } from 'vitest'
import { auditedRow, auditReport } from '../audit/report/sample-report.ts'
import { describeWith } from '../support/tools.ts'
import { useUrl } from './requests.ts'
import { DESK, NARROW, startWorld, WITHOUT_SCRIPTS } from './support.ts'

const CONSOLE = '/_sandbox/console'

describeWith('chromium', 'The console', () => {
  const world = startWorld()
  const { open } = world
  beforeEach(() => world.sandbox.reset())

  /** Runs a Use flow to its end, decided by a query parameter. */
  const runFlow = () =>
    fetch(useUrl(world.sandbox, { sandbox_persona: 'teen-16' }), { redirect: 'manual' })

  test('The list of flows shows the first flow by itself', async () => {
    const page = await open('/')
    await page.getByText('Live', { exact: true }).waitFor()
    for (const id of ['no-flows', 'try-it'])
      expect(await page.getByTestId(id).isVisible()).toBe(true)
    await runFlow()
    await page.locator('#timeline').getByText('teen-16').first().waitFor()
    expect(await page.getByTestId('no-flows').count()).toBe(0)
    expect(await page.getByTestId('try-it').isVisible()).toBe(false)
  })

  test('The page Force shows the next step of a scenario by itself', async () => {
    const page = await open(`${CONSOLE}/force`)
    await page.getByTestId('arm').click()
    await page.getByText('0 of 2 steps').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await runFlow()
    await page.getByText('1 of 2 steps').waitFor()
    await page.getByRole('button', { name: /^Remove A teen/ }).click()
    await page.getByTestId('no-scenarios').waitFor()
  })

  test('The reason why a form of the page Force is refused is on the screen, also without scripts', async () => {
    const page = await open(`${CONSOLE}/force`, { ...NARROW, ...WITHOUT_SCRIPTS })
    for (const button of ['Add', 'Advance']) {
      await page.getByRole('button', { name: button, exact: true }).click()
      const top = await page
        .getByTestId('problem')
        .evaluate((notice) => notice.getBoundingClientRect().top)
      expect(top, button).toBeGreaterThan(0)
      expect(top, button).toBeLessThan(800)
    }
  })

  test('The strip of modes drops a decision that a flow has used up, also when the reader comes back to a page', async () => {
    await world.sandbox.next({ persona: 'teen-16' })
    const live = await open(`${CONSOLE}/flows`, DESK)
    await live.getByText('Live', { exact: true }).waitFor()
    const still = await open(`${CONSOLE}/rules`, DESK)
    for (const page of [live, still]) await page.getByTestId('mode-expectations').waitFor()
    await fetch(useUrl(world.sandbox), { redirect: 'manual' })
    await live.getByTestId('mode-expectations').waitFor({ state: 'detached' })
    expect(await still.getByTestId('mode-expectations').count()).toBe(1)
    await still.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await still.getByTestId('mode-expectations').waitFor({ state: 'detached' })
  })

  test.each([390, 1280])(
    'A mode is taken back at %i px, on the page that shows it',
    async (width) => {
      await world.sandbox.clock.advance(86_400)
      const page = await open(`${CONSOLE}/outcomes?q=nonce`, { viewport: { width, height: 800 } })
      const address = page.url()
      if (width === 390) await page.getByRole('button', { name: /set/ }).click()
      const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0
      if (width === 390)
        expect((await left('#modes li')) - (await left('#modes'))).toBeGreaterThan(8)
      await page.getByRole('button', { name: 'Clock: Back to real time' }).click()
      await page.getByTestId('mode-clock').waitFor({ state: 'detached' })
      expect(page.url()).toBe(address)
      expect((await world.sandbox.clock.state()).advanced_seconds).toBe(0)
    },
  )

  test('The menu shows its six entries in one line at 390 px', async () => {
    const page = await open('/', { ...NARROW, ...WITHOUT_SCRIPTS })
    const entries = page.getByRole('navigation', { name: 'Console' }).getByRole('link')
    expect(await entries.allTextContents()).toEqual([
      'Flows',
      'Personas',
      'Force',
      'Audit',
      'Setup',
      'Docs',
    ])
    const tops = await entries.evaluateAll((all) =>
      all.map((entry) => entry.getBoundingClientRect().top),
    )
    expect(new Set(tops)).toHaveProperty('size', 1)
  })

  test('An entry of the menu leads to a row of its pages without scripts', async () => {
    const page = await open('/', { ...NARROW, ...WITHOUT_SCRIPTS })
    const entries = page.getByRole('navigation', { name: 'Console' }).getByRole('link')
    await entries.getByText('Force').click()
    await page
      .getByRole('navigation', { name: 'Force' })
      .getByRole('link', { name: 'Outcomes' })
      .click()
    await page.waitForURL('**/console/outcomes')
  })

  test('A link to a rule opens the part that has the rule', async () => {
    const page = await open(`${CONSOLE}/rules#PAR-07`)
    expect(await page.locator('#PAR-07').isVisible()).toBe(true)
    expect(await page.locator('#TOK-01').isVisible()).toBe(false)
  })

  test('The clock of the page Force ticks unless the clock is frozen', async () => {
    await world.sandbox.clock.set('2030-01-31T12:00:00Z')
    const page = await open(`${CONSOLE}/force`, { timezoneId: 'Asia/Tokyo' })
    const now = page.getByTestId('now')
    const before = (await now.textContent()) ?? ''
    await page.locator('time[data-clock]').filter({ hasNotText: before }).waitFor()
    expect(await now.textContent()).toMatch(/^2030-01-31 12:00:\d\dZ$/)
    expect(await page.locator('#local-now').textContent()).toMatch(
      /Jan 31, 2030.* 9:00:\d\d\sPM \(Asia\/Tokyo\)/,
    )
    await page.getByTestId('freeze').click()
    await page.getByText('Let it run').waitFor()
    const strip = page.getByTestId('mode-clock').locator('time')
    expect(await strip.getAttribute('title')).toMatch(
      /Jan 31, 2030.* 9:00:\d\d\sPM \(Asia\/Tokyo\)/,
    )
    expect(await now.locator('time').getAttribute('data-clock')).toBe('frozen')
  })

  test('A time of the console has a title in local time', async () => {
    await world.sandbox.clock.set('2030-01-31T12:00:00Z')
    const page = await open(`${CONSOLE}/personas?q=adult-passport`, { timezoneId: 'Asia/Tokyo' })
    expect(await page.locator('time').first().getAttribute('title')).toContain('(Asia/Tokyo)')
  })

  test('The clock of the page Force shows UTC alone without scripts', async () => {
    await world.sandbox.clock.set('2030-01-31T12:00:00Z')
    const still = await open(`${CONSOLE}/force`, WITHOUT_SCRIPTS)
    expect(await still.getByTestId('now').textContent()).toMatch(/Z$/)
    expect(await still.locator('#local-now').isVisible()).toBe(false)
  })

  test('The page of outcomes shows at least ten of them on one screen of 1280x800', async () => {
    const page = await open(`${CONSOLE}/outcomes?q=id_token`, DESK)
    const ends = await page
      .locator('tbody tr')
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().bottom))
    expect(ends.filter((bottom) => bottom <= 800).length).toBeGreaterThanOrEqual(10)
  })

  test('A word is searched in the documents by Enter', async () => {
    const page = await open('/_sandbox/docs/readme')
    await page.getByRole('searchbox').fill('PAR-07')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/search?q=PAR-07')
    await page.locator('.doc-found a').first().click()
    await page.waitForURL('**/docs/rules#*')
    expect(await page.locator(`h2${new URL(page.url()).hash}`).isVisible()).toBe(true)
  })

  test('The contents of a document are folded on a phone', async () => {
    const page = await open('/_sandbox/docs/rules', NARROW)
    const link = page.locator('.contents a').first()
    expect(await link.isVisible()).toBe(false)
    await page.locator('.doc-contents summary').click()
    expect(await link.isVisible()).toBe(true)
  })

  test('The contents of a document stand open beside the document on a desk', async () => {
    const page = await open('/_sandbox/docs/rules', DESK)
    const link = page.locator('.contents a').first()
    expect(await link.isVisible()).toBe(true)
  })

  test('A document on paper has no menu', async () => {
    const page = await open('/_sandbox/docs/first-steps')
    await page.locator('.copy').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(
      await page.locator('.menu, .tabs, .copy, .doc-contents').filter({ visible: true }).count(),
    ).toBe(0)
  })

  test('A document on paper breaks the lines of its code', async () => {
    const page = await open('/_sandbox/docs/first-steps')
    await page.locator('.copy').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.doc pre')).whiteSpace`),
    ).toBe('pre-wrap')
    expect((await page.locator('.doc').boundingBox())?.width).toBeGreaterThan(1_000)
  })

  test('No button covers the code that it copies', async () => {
    const page = await open('/_sandbox/docs/first-steps')
    await page.locator('.copy').first().waitFor()
    const covered = `[...document.querySelectorAll('.copy')].filter((button) => {
      const [top, code] = [button, button.parentElement.querySelector('pre')].map((one) => one.getBoundingClientRect())
      return top.left < code.right && top.right > code.left && top.top < code.bottom && top.bottom > code.top
    }).length`
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(covered)).toBe(0)
    }
  })

  test('The playground leaves a filter out without scripts', async () => {
    const page = await open(`${CONSOLE}/playground`, WITHOUT_SCRIPTS)
    const claims = '{"age_thresholds":[18],"allowed_methods":["facial_age_estimation"]}'
    await page.getByLabel(/^JSON, or the address/).fill(claims)
    await page.getByTestId('evaluate').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^without allowed_methods/ }).press('Enter')
    const passport = page.getByTestId('answer-adult-passport')
    await passport.getByText('18: no → yes').waitFor()
    const shared = page.url()
    await page.goto('about:blank')
    await page.goto(shared)
    expect(await passport.textContent()).toContain('18: no → yes')
    await page.locator('summary', { hasText: 'Every age no' }).click()
    await page.getByRole('button', { name: 'Copy with teen-16' }).click()
    await page
      .locator('#copy')
      .getByText("sandbox.next({ flow: 'use', persona: 'teen-16' })")
      .waitFor()
    expect(new URL(page.url()).hash).toBe('#copy')
    await page.locator('#claims').fill('{"age_thresholds": ["18"]}')
    await page.getByTestId('evaluate').click()
    await page.getByTestId('findings').getByText('CLM-03').waitFor()
    expect(await page.locator('#claims').inputValue()).toBe('{"age_thresholds": ["18"]}')
  })

  test('The audit page narrows the rows of a report down', async () => {
    await runFlow()
    const { id, started_at } = (await world.sandbox.flows.last()) ?? expect.fail('there is no flow')
    const report = auditReport(
      [
        auditedRow('use/id_token.expired', { verdict: 'let in', flows: [id], family: 'expiry' }),
        auditedRow('use/id_token.jku', { family: 'key_source', flows: ['f900'] }),
        auditedRow('use/id_token.x5u', { family: 'key_source', flows: [] }),
      ],
      { started_at },
    )
    const page = await open(`${CONSOLE}/audit`)
    const file = {
      name: 'report.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(report)),
    }
    await page.getByLabel('JSON report of an audit').setInputFiles(file)
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    expect(await page.getByTestId('headline').textContent()).toMatch(/^failed not verified: /)
    const rows = page.locator('.audit-family tbody tr').filter({ visible: true })
    const verdict = page.getByLabel('Verdict', { exact: true })
    const find = page.getByLabel('Find', { exact: true })
    expect(await rows.count()).toBe(0)
    const byFinding = page.getByTestId('finding').first().getByTestId('rows')
    expect(await byFinding.isVisible()).toBe(true)
    await page.getByTestId('finding').first().locator('summary').first().click()
    expect(await byFinding.isVisible()).toBe(false)
    await verdict.selectOption('refused')
    // Both rows stand below each check that refuses them.
    expect(await rows.count()).toBe(4)
    await find.fill('x5u')
    expect(new Set(await rows.allTextContents())).toEqual(new Set([expect.stringContaining('x5u')]))
    expect(await page.getByText('2 of 5 rows').isVisible()).toBe(true)
    await find.fill('')
    await verdict.selectOption('')
    expect(await rows.count()).toBe(0)
    await page.getByTestId('finding').getByRole('link', { name: id, exact: true }).press('Enter')
    await page.waitForURL(`**/_sandbox/console/flows/${id}`)
  })
})
