import { expect, test } from 'vitest'
import { describeWith } from '../support/tools.ts'
import { startWorld } from './support.ts'

const TOKEN = 'not-a-real-token'

describeWith('chromium', 'Beyond this machine', () => {
  const world = startWorld(() => ({ host: '0.0.0.0', controlToken: TOKEN }))

  test.each(['localhost', '127.0.0.1'])(
    'A hosted page that an app at %s opens asks for the control token, and then forces a later outcome',
    async (host) => {
      const url = world.use({ theme: 'system', scope: 'openid svc.upgrade' })
      const link = `<a href="${url.replaceAll('&', '&amp;')}">Verify my age</a>`
      world.app.serve('/link', `<!doctype html><title>App</title>${link}`)
      const page = await world.newPage({ viewport: { width: 375, height: 800 } })
      await page.goto(`${world.app.origin.replace('localhost', host)}/link`)
      await page.getByRole('link').click()
      await page.locator('details.endings summary').click()
      expect(await page.getByTestId('driving-bar').isVisible()).toBe(true)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
      const opened = page.waitForEvent('popup')
      await page.getByTestId('driving-bar').getByRole('link').click()
      const console = await opened
      await console.getByLabel('Control token').fill(TOKEN)
      await console.getByRole('button', { name: 'Sign in' }).click()
      await console.getByRole('heading', { level: 1 }).waitFor()
      await page.getByTestId('driving-again').click()
      await page.locator('details.endings:not([open]) summary').click()
      await page.getByTestId('find-outcome').fill('token.500')
      await page.getByTestId('outcome-token.500').click()
      await page.waitForURL(/state=/)
      expect(await world.sandbox.expectations.list()).toMatchObject([
        { flow: 'token', outcome: 'token.500' },
      ])
      await world.sandbox.expectations.clear()
    },
  )
})
