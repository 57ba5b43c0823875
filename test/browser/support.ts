import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { KEY_FILE } from '../support/keys.ts'
import { connectChromium } from '../support/run.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'

/** What the tests of a file share, from the first of them on. */
interface World {
  readonly sandbox: Sandbox
  /** An app of another origin. */
  readonly app: RelyingParty
  /** A page that shares nothing with other pages, for one test. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** Such a page at an address of the sandbox. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>
}

/** Connects to Chromium and starts an app and a sandbox, whose options may need the app, for the tests of a group. */
export function startWorld(
  optionsFor: (app: RelyingParty) => SandboxOptions | Promise<SandboxOptions> = () => ({}),
): World {
  let started: [Browser, Sandbox, RelyingParty]
  beforeAll(async () => {
    const app = await startRelyingParty()
    const options = { keys: KEY_FILE, ...(await optionsFor(app)) }
    started = await Promise.all([connectChromium(), createSandbox(options), app])
  })
  afterAll(async () => {
    await Promise.all(started?.map((part) => part.close()) ?? [])
  })
  const world: World = {
    get sandbox() {
      return started[1]
    },
    get app() {
      return started[2]
    },
    async newPage(changes) {
      const context = await newContext(started[0], changes)
      onTestFinished(() => context.close())
      return context.newPage()
    },
    async open(address, changes) {
      const page = await world.newPage(changes)
      await page.goto(new URL(address, started[1].baseUrl).href)
      return page
    },
  }
  return world
}

async function newContext(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: 'en-US', ...options })
  // Nothing here takes longer, and a test that waits for what never comes should say so soon.
  context.setDefaultTimeout(8_000)
  return context
}

/** Runs with a page of its own, which shares nothing with other pages. */
export async function withPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await newContext(browser, options)
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
