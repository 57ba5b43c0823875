import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { connectChromium } from '../support/run.ts'

/** One browser and one sandbox for the tests of a group, from the first of them on. */
export function startBrowserAndSandbox(): { readonly browser: Browser; readonly sandbox: Sandbox } {
  let browser: Browser
  let sandbox: Sandbox
  beforeAll(async () => {
    ;[browser, sandbox] = await Promise.all([connectChromium(), createSandbox()])
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
  })
  return {
    get browser() {
      return browser
    },
    get sandbox() {
      return sandbox
    },
  }
}

/** Runs with a page of its own, which shares nothing with other pages. */
export async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-US', ...options })
  // Nothing here takes longer, and a test that waits for what never comes should say so soon.
  context.setDefaultTimeout(8_000)
  try {
    return await run(await context.newPage())
  } finally {
    await context.close()
  }
}

const screenshots = new URL('../../screenshots/', import.meta.url)

/** Keeps a picture of the whole page in `screenshots/`, in CI and with SCREENSHOTS=1. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['CI'] !== 'true' && process.env['SCREENSHOTS'] !== '1') return
  await mkdir(screenshots, { recursive: true })
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, screenshots)), fullPage: true })
}
