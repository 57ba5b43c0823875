import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'
import type { BrowserType, Browser as Chromium } from 'playwright-core'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import { AuditProblem } from '../../audit-problem.ts'

export interface LaunchOptions {
  /** The executable to start: `CHROME_PATH`. */
  readonly chromePath?: string | undefined
  /** URL of a running Chromium to connect to: `http://localhost:9222`. */
  readonly cdpUrl?: string | undefined
  readonly headed?: boolean | undefined
}

/** Usual paths of Chromium and Chrome. */
const PROGRAMS: readonly string[] = [
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Without site isolation, frames run in the process of the page and the tab sees their requests.
 */
const ARGUMENTS = ['--disable-gpu', '--disable-site-isolation-trials']
const INSTALL = 'npx playwright-core install chromium'
const INSTALL_PLAYWRIGHT = 'npm i -D playwright-core'

/**
 * Starts Chromium with the playwright-core of the user's project, or connects to a running
 * Chromium.
 * @throws AuditProblem with one line that names the remedy
 */
export async function launchChromium(options: LaunchOptions): Promise<Chromium> {
  const { chromePath, cdpUrl, headed = false } = options
  const chromium = loadPlaywright()
  if (cdpUrl !== undefined) return connectTo(cdpUrl, chromium)
  const program = chromePath ?? PROGRAMS.find((path) => existsSync(path))
  return chromium
    .launch({
      headless: !headed,
      args: ARGUMENTS,
      ...(program !== undefined && { executablePath: program }),
      // An interrupted audit closes Chromium itself, after the running visits.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: 20_000,
    })
    .catch((cause: unknown) => {
      throw launchProblem(cause, program, chromePath !== undefined)
    })
}

const connectTo = (cdpUrl: string, chromium: BrowserType): Promise<Chromium> =>
  chromium.connectOverCDP(cdpUrl, { timeout: 5000 }).catch((cause: unknown) => {
    const remedy = 'start it with --remote-debugging-port=9222, or leave --cdp out'
    throw new AuditProblem(`--cdp: no Chromium answers at ${cdpUrl}; ${remedy}`, { cause })
  })

function launchProblem(
  cause: unknown,
  program: string | undefined,
  isNamed: boolean,
): AuditProblem {
  if (program === undefined) {
    const problem = `there is no Chromium: ${INSTALL}, or CHROME_PATH=/path/to/chrome`
    return new AuditProblem(problem, { cause, remedy: INSTALL })
  }
  if (/ missing X server|DISPLAY/i.test(messageOf(cause)))
    return new AuditProblem('--headed: there is no display here; leave it out', { cause })
  const [, reason] =
    /^(?:browserType\.launch: )?(.*)/.exec(stripVTControlCharacters(messageOf(cause))) ?? []
  const problem = `${isNamed ? 'CHROME_PATH: ' : ''}${program} does not start as a browser (${reason})`
  return new AuditProblem(`${problem}; name another by CHROME_PATH=/path/to/chrome`, { cause })
}

/** Loads playwright-core from the working folder, otherwise from the folder of this module. */
function loadPlaywright(): BrowserType {
  const load = createRequire(import.meta.url)
  try {
    const path = load.resolve('playwright-core', { paths: [process.cwd(), import.meta.dirname] })
    const { chromium }: { chromium: BrowserType } = load(path)
    return chromium
  } catch (cause) {
    if (codeOf(cause) !== 'MODULE_NOT_FOUND') throw cause
    const problem = `an audit by Chromium takes playwright-core: ${INSTALL_PLAYWRIGHT}`
    throw new AuditProblem(problem, { cause, remedy: INSTALL_PLAYWRIGHT })
  }
}
