import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../src/server/create-sandbox.ts'
import { KEY_FILE } from '../support/keys.ts'
import type { Changes } from '../support/requests.ts'
import { connectChromium } from '../support/run.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import { createUrl, useUrl } from './requests.ts'

export const DESK = { viewport: { width: 1280, height: 800 } }
/** A narrow window on a desktop, which has a keyboard. */
export const NARROW = { viewport: { width: 390, height: 844 } }
export const WITHOUT_SCRIPTS = { javaScriptEnabled: false }

/**
 * Connects to Chromium and starts an app and a sandbox for the tests of a group. The options of the
 * sandbox may need the app.
 */
export function startWorld(
  optionsFor: (app: RelyingParty) => SandboxOptions | Promise<SandboxOptions> = () => ({}),
) {
  let started: [Browser, Sandbox, RelyingParty]
  beforeAll(async () => {
    const app = await startRelyingParty()
    const options = { keys: KEY_FILE, ...(await optionsFor(app)) }
    started = await Promise.all([connectChromium(), createSandbox(options), app])
  })
  afterAll(async () => {
    await Promise.all(started?.map((part) => part.close()) ?? [])
  })
  const toApp = (changes: Changes = {}) => ({
    redirect_uri: `${started[2].origin}/callback`,
    ...changes,
  })
  /** A page that shares nothing with other pages, for the group. */
  const keepPage = async (options?: BrowserContextOptions) =>
    (await newContext(started[0], options)).newPage()
  async function newPage(options?: BrowserContextOptions) {
    const page = await keepPage(options)
    onTestFinished(() => page.context().close())
    return page
  }
  return {
    get sandbox() {
      return started[1]
    },
    get app() {
      return started[2]
    },
    keepPage,
    newPage,
    /** A page for one test at a URL of the sandbox. */
    async open(address: string, options?: BrowserContextOptions) {
      const page = await newPage(options)
      await page.goto(new URL(address, started[1].baseUrl).href)
      return page
    },
    /** The URLs of an E1 and of an E3 request that return to the app. */
    use: (changes?: Changes) => useUrl(started[1], toApp(changes)),
    create: (changes?: Changes) => createUrl(started[1], toApp(changes)),
    /** The parameters on a page of the app, from the fragment or the query. */
    async answerOn(page: Page): Promise<Readonly<Record<string, string>>> {
      await page.waitForURL((url) => url.origin === started[2].origin)
      const { hash, searchParams } = new URL(page.url())
      return Object.fromEntries(hash === '' ? searchParams : new URLSearchParams(hash.slice(1)))
    },
  }
}

async function newContext(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: 'en-US', ...options })
  // Less than a test may take, so that a test which waits in vain says for what.
  context.setDefaultTimeout(15_000)
  return context
}

/** Runs with its own page, which shares nothing with other pages. */
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

/** Keeps a picture of the whole page in `screenshots/`, with SCREENSHOTS=1. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return
  await mkdir(screenshots, { recursive: true })
  const path = fileURLToPath(
    new URL(`${encodeURIComponent(name.replaceAll('/', '_'))}.png`, screenshots),
  )
  await page.screenshot({ path, fullPage: true })
}
