import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'
import type { BrowserType, Browser as Chromium } from 'playwright-core'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, BrowserVisit } from '../browser.ts'
import { createHttpAgent, type HttpAgentOptions, type Showing } from '../http-agent.ts'
import { openTab, type Shown } from './tab.ts'

const ENDED =
  'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short'

/**
 * A browser with scripts. There are as many tabs as concurrent visits, and each serves one browser
 * after the other: a new context takes Chromium several times as long as all pages of a visit.
 */
export function createChromiumAgent(chromium: Chromium, options: HttpAgentOptions = {}): Agent {
  const http = createHttpAgent(options)
  // Playwright attaches to hidden tabs, which have the target type "other", only if this variable
  // is set.
  process.env['PW_CHROMIUM_ATTACH_TO_OTHER'] = '1'
  const idle: Awaited<ReturnType<typeof openTab>>[] = []
  const notes = new Set<string>()
  // Chromium never answers a call that arrives shortly before its end.
  const ended = new Promise<never>((_resolve, reject) => chromium.once('disconnected', reject))
  ended.catch(() => {})
  return {
    name: 'chromium',
    notes: () => [...notes],
    newBrowser() {
      const { open, forget } = http.newBrowser()
      let memory: Shown['memory'] = { stored: [], before: [] }
      return {
        open(request, settings) {
          if (settings.peeks) return open(request, settings)
          const visit = async (): Promise<BrowserVisit> => {
            const tab = idle.pop() ?? (await openTab(chromium, options, notes))
            const asked = new Set<string>()
            try {
              const show = (showing: Showing) => tab.show({ ...showing, memory, asked })
              return { ...(await open(request, { ...settings, show })), asked: [...asked] }
            } finally {
              if (tab.end()) idle.push(tab)
            }
          }
          return Promise.race([visit(), ended]).catch((error: unknown) => {
            if (!settings.signal.aborted)
              throw chromium.isConnected() ? error : new AuditProblem(ENDED)
            return {
              end: 'timed_out',
              hops: [],
              url: request.url,
              problem: 'the audit ended before',
            }
          })
        },
        forget(names) {
          forget(names)
          // The proof in the storage of pages came after the answer; older entries, such as the
          // request, stay.
          const { stored, before } = memory
          memory = { stored: stored.filter((one) => before.includes(one)), before }
        },
      }
    },
    async close() {
      delete process.env['PW_CHROMIUM_ATTACH_TO_OTHER']
      await chromium.close()
    },
  }
}

export interface LaunchOptions {
  /** The program to start: `CHROME_PATH`. */
  readonly chromePath?: string | undefined
  /** A running browser, such as `http://localhost:9222`; it keeps running. */
  readonly cdpUrl?: string | undefined
  readonly headed?: boolean | undefined
}

const PLACES: readonly string[] = [
  ...['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'].map(
    (name) => `/usr/bin/${name}`,
  ),
  '/snap/bin/chromium',
  ...['Google Chrome', 'Chromium'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
]

/** Frames of other sites stay in the process of the page, so that the audit sees their requests. */
const ARGUMENTS = ['--disable-gpu', '--disable-site-isolation-trials']
const INSTALL = 'npx playwright-core install chromium'

/**
 * Starts Chromium by the playwright-core of the user's project, or connects to a running one.
 * @throws AuditProblem with the remedy in one line
 */
export async function launchChromium({
  chromePath,
  cdpUrl,
  headed = false,
}: LaunchOptions): Promise<Chromium> {
  const chromium = loadPlaywright()
  if (cdpUrl !== undefined)
    return chromium.connectOverCDP(cdpUrl, { timeout: 5000 }).catch((cause: unknown) => {
      const remedy = 'start it with --remote-debugging-port=9222, or leave --cdp out'
      throw new AuditProblem(`--cdp: no Chromium answers at ${cdpUrl}; ${remedy}`, { cause })
    })
  const place = chromePath ?? PLACES.find((path) => existsSync(path))
  // An interrupted audit ends Chromium itself, after the running visits.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const program = {
    headless: !headed,
    args: ARGUMENTS,
    ...(place !== undefined && { executablePath: place }),
  }
  return chromium.launch({ ...program, ...signals, timeout: 20_000 }).catch((cause: unknown) => {
    if (place === undefined) {
      const problem = new AuditProblem(
        `there is no Chromium: ${INSTALL}, or CHROME_PATH=/path/to/chrome`,
        { cause },
      )
      throw Object.assign(problem, { remedy: INSTALL })
    }
    if (/ missing X server|DISPLAY/i.test(messageOf(cause)))
      throw new AuditProblem('--headed: there is no display here; leave it out', { cause })
    const [, reason] =
      /^(?:browserType\.launch: )?(.*)/.exec(stripVTControlCharacters(messageOf(cause))) ?? []
    const problem = `${chromePath === undefined ? '' : 'CHROME_PATH: '}${place} does not start as a browser (${reason})`
    throw new AuditProblem(`${problem}; name another by CHROME_PATH=/path/to/chrome`, { cause })
  })
}

/** The working folder comes first: the audited project has playwright-core. */
function loadPlaywright(): BrowserType {
  const load = createRequire(import.meta.url)
  try {
    const place = load.resolve('playwright-core', { paths: [process.cwd(), import.meta.dirname] })
    const { chromium }: { chromium: BrowserType } = load(place)
    return chromium
  } catch (cause) {
    if (codeOf(cause) !== 'MODULE_NOT_FOUND') throw cause
    const remedy = 'npm i -D playwright-core'
    throw Object.assign(
      new AuditProblem(`an audit by Chromium takes playwright-core: ${remedy}`, { cause }),
      {
        remedy,
      },
    )
  }
}
