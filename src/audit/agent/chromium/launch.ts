import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { BrowserType, Browser as Chromium } from 'playwright-core'
import { messageOf } from '../../../files/caught.ts'
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
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Features that are switched off. A list of ours takes the place of that of playwright-core, so it names those of its list that change
 * what a page sees or what is asked of other servers. The popups of the address bar cost half of the time of a visit: each window
 * starts two processes for them.
 */
const DISABLED_FEATURES: readonly string[] = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Windows that open quickly, and ask for nothing of their own accord. */
export const LEAN_WINDOWS = `--disable-features=${DISABLED_FEATURES.join(',')}`

/** It makes no calls of its own accord, and shows frames of all sites to the audit. */
const ARGUMENTS: readonly string[] = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-site-isolation-trials',
  '--no-first-run',
  LEAN_WINDOWS,
]

const INSTALL_PLAYWRIGHT = 'npm i -D playwright-core'
const INSTALL_CHROMIUM = 'npx playwright-core install chromium'

/**
 * Starts Chromium by the playwright-core of the user's project, or connects to one.
 * @throws AuditProblem in one line with the remedy
 */
export async function launchChromium({ chromePath, cdpUrl, headed = false }: LaunchOptions): Promise<Chromium> {
  const chromium = loadPlaywright()
  if (cdpUrl !== undefined) {
    return chromium.connectOverCDP(cdpUrl, { timeout: 5000 }).catch((cause: unknown) => {
      throw new AuditProblem(
        `--cdp: no Chromium answers at ${cdpUrl}; start it with --remote-debugging-port=9222, or leave --cdp out`,
        { cause },
      )
    })
  }
  if (chromePath !== undefined && !existsSync(chromePath)) {
    throw new AuditProblem(
      `CHROME_PATH: there is no ${chromePath}; name the program of Chrome or Chromium, or leave it out`,
    )
  }
  const place = chromePath ?? PLACES.find((path) => existsSync(path))
  return chromium
    .launch({
      ...(place !== undefined && { executablePath: place }),
      headless: !headed,
      args: [...ARGUMENTS],
      // The audit ends it itself when it is interrupted, after what is under way.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 20_000,
    })
    .catch((cause: unknown) => {
      const message = whyNot(messageOf(cause), { place, chromePath })
      throw place === undefined
        ? new ChromiumProblem(message, INSTALL_CHROMIUM, { cause })
        : new AuditProblem(message, { cause })
    })
}

function whyNot(
  message: string,
  { place, chromePath }: { place: string | undefined; chromePath: string | undefined },
): string {
  if (/ missing X server|DISPLAY/i.test(message)) return '--headed: there is no display here; leave it out'
  if (place === undefined) return `there is no Chromium: ${INSTALL_CHROMIUM}, or CHROME_PATH=/path/to/chrome`
  const [reason = ''] = stripVTControlCharacters(message).split('\n')
  const source = chromePath === undefined ? '' : 'CHROME_PATH: '
  return `${source}${place} does not start as a browser (${reason.replace(/^browserType\.launch: /, '')}); name another by CHROME_PATH=/path/to/chrome`
}

/** From the working folder first: the project that is audited brings it. */
function loadPlaywright(): BrowserType {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    const require = createRequire(from)
    if (!isInstalled(require)) continue
    const { chromium }: { chromium: BrowserType } = require('playwright-core')
    return chromium
  }
  throw new ChromiumProblem(`an audit by Chromium takes playwright-core: ${INSTALL_PLAYWRIGHT}`, INSTALL_PLAYWRIGHT)
}

function isInstalled(require: NodeJS.Require): boolean {
  try {
    require.resolve('playwright-core')
    return true
  } catch {
    return false
  }
}
