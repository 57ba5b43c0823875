import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { BrowserType, Browser as Chromium } from 'playwright-core'
import { codeOf, messageOf } from '../../../files/caught.ts'
import { AuditProblem } from '../../audit-problem.ts'

/** Why there is no Chromium. */
export class ChromiumProblem extends AuditProblem {
  /** What mends it, as a command. */
  readonly remedy: string
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.remedy = remedy
  }
}

export interface LaunchOptions {
  /** The program to start: `CHROME_PATH`. */
  readonly chromePath?: string | undefined
  /** A browser that runs already, such as `http://localhost:9222`; it goes on running. */
  readonly cdpUrl?: string | undefined
  /** Shows its window. */
  readonly headed?: boolean | undefined
}

const PLACES: readonly string[] = [
  ...['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`),
  '/snap/bin/chromium',
  ...['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
]

/** It makes no calls of its own accord, and shows frames of all sites to the audit. */
const ARGUMENTS = [
  ...['gpu', 'background-networking', 'component-update', 'sync', 'site-isolation-trials'].map(
    (it) => `--disable-${it}`,
  ),
  '--no-first-run',
]

const INSTALL_PLAYWRIGHT = 'npm i -D playwright-core'
const INSTALL_CHROMIUM = 'npx playwright-core install chromium'

/**
 * Starts Chromium by the playwright-core of the user's project, or connects to one.
 * @throws AuditProblem in one line with the remedy
 */
export async function launchChromium({ chromePath, cdpUrl, headed = false }: LaunchOptions): Promise<Chromium> {
  const chromium = loadPlaywright()
  if (cdpUrl !== undefined)
    return chromium.connectOverCDP(cdpUrl, { timeout: 5000 }).catch((cause: unknown) => {
      const remedy = 'start it with --remote-debugging-port=9222, or leave --cdp out'
      throw new AuditProblem(`--cdp: no Chromium answers at ${cdpUrl}; ${remedy}`, { cause })
    })
  const place = chromePath ?? PLACES.find((path) => existsSync(path))
  // The audit ends it itself when it is interrupted, after what is under way.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const program = place === undefined ? {} : { executablePath: place }
  try {
    return await chromium.launch({ headless: !headed, args: ARGUMENTS, timeout: 20_000, ...signals, ...program })
  } catch (cause) {
    if (place === undefined) {
      const message = `there is no Chromium: ${INSTALL_CHROMIUM}, or CHROME_PATH=/path/to/chrome`
      throw new ChromiumProblem(message, INSTALL_CHROMIUM, { cause })
    }
    if (/ missing X server|DISPLAY/i.test(messageOf(cause)))
      throw new AuditProblem('--headed: there is no display here; leave it out', { cause })
    const [, reason] = /^(?:browserType\.launch: )?(.*)/.exec(stripVTControlCharacters(messageOf(cause))) ?? []
    throw new AuditProblem(
      `${chromePath === undefined ? '' : 'CHROME_PATH: '}${place} does not start as a browser (${reason}); name another by CHROME_PATH=/path/to/chrome`,
      { cause },
    )
  }
}

/** From the working folder first: the project that is audited brings it. */
function loadPlaywright(): BrowserType {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const { chromium }: { chromium: BrowserType } = createRequire(from)('playwright-core')
      return chromium
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new ChromiumProblem(`an audit by Chromium takes playwright-core: ${INSTALL_PLAYWRIGHT}`, INSTALL_PLAYWRIGHT)
}
