import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { LEAN_WINDOWS } from '../../src/audit/agent/chromium/launch.ts'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'

export const executablePath = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)
const isCi = process.env['CI'] === 'true'

if (executablePath === undefined && !isCi) {
  console.warn(
    `\n${'#'.repeat(78)}\n# NO CHROMIUM: the browser tests of this file are SKIPPED.\n# Install it, or say where it is: CHROMIUM_PATH=/path/to/chromium npm test\n${'#'.repeat(78)}\n`,
  )
}

/** A group of tests that need Chromium: skipped loudly where there is none, but failing in CI. */
export const describeInBrowser: typeof describe.skip = executablePath === undefined && !isCi ? describe.skip : describe

/** One browser for a test file; it makes no calls of its own accord. */
export async function launchBrowser(...args: string[]): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium: install it or set CHROMIUM_PATH')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      LEAN_WINDOWS,
      ...args,
    ],
  })
}

/** One browser and one sandbox for the tests of a group, from the first of them on. */
export function startBrowserAndSandbox(): { readonly browser: Browser; readonly sandbox: Sandbox } {
  let browser: Browser
  let sandbox: Sandbox
  beforeAll(async () => {
    ;[browser, sandbox] = await Promise.all([launchBrowser(), createSandbox()])
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
  if (!isCi && process.env['SCREENSHOTS'] !== '1') return
  await mkdir(screenshots, { recursive: true })
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, screenshots)), fullPage: true })
}
