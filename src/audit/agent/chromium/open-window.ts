import type { BrowserContext, Browser as Chromium, Page as Window } from 'playwright-core'
import { USER_AGENT } from '../onward.ts'

/** Opens a window in a new browser context. */
export async function openWindow(chromium: Chromium, anyCertificate: boolean): Promise<Window> {
  const context = await chromium.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    ignoreHTTPSErrors: anyCertificate,
    locale: 'en-US',
    userAgent: USER_AGENT,
  })
  // Chromium treats fulfilled pages as public, and public pages may not call the local network.
  await context.grantPermissions(['local-network-access']).catch(() => {})
  const ordinary = await context.newPage()
  const hidden = await openHiddenWindow(chromium, context, ordinary)
  if (hidden) await ordinary.close()
  return hidden ?? ordinary
}

/**
 * Opens a hidden tab, which halves the work of a headless Chromium because nothing is drawn;
 * `undefined` if Chromium does not support hidden tabs.
 */
async function openHiddenWindow(
  chromium: Chromium,
  context: BrowserContext,
  ordinary: Window,
): Promise<Window | undefined> {
  const browser = await chromium.newBrowserCDPSession()
  const { userAgent } = await browser.send('Browser.getVersion')
  if (!userAgent.includes('Headless')) return undefined
  const { targetInfo } = await (await context.newCDPSession(ordinary)).send('Target.getTargetInfo')
  const { browserContextId = '' } = targetInfo
  const opened = context.waitForEvent('page', { timeout: 5000 }).catch(() => undefined)
  const target = { url: 'about:blank', hidden: true, browserContextId }
  await Promise.all([opened, browser.send('Target.createTarget', target).catch(() => {})])
  return opened
}
