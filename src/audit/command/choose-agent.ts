import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Agent, BrowserVisit } from '../agent/browser.ts'
import { createChromiumAgent } from '../agent/chromium/chromium-agent.ts'
import { launchChromium } from '../agent/chromium/launch-chromium.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import { createDriver, type PageSettings } from '../drive/driver.ts'
import { takesABrowser } from '../learn/app-profile.ts'
import { DEFAULTS } from '../options.ts'
import type { AuditSession } from './audit-session.ts'
import type { AuditSettings } from './settings/settings.ts'

/**
 * Creates the agent that `--browser` names. `auto` chooses plain HTTP, unless the app requests an
 * answer in the fragment, or its first page has scripts and does not lead to the sandbox.
 * @throws AuditProblem with one line when a browser is needed and missing
 */
export async function chooseAgent(
  api: SandboxApi,
  pages: Omit<PageSettings, 'agent'>,
  session: AuditSession,
): Promise<Agent> {
  const { settings } = session.plan
  const browser = browserOf(settings)
  const http = createHttpAgent({
    anyAddress: settings.this_app_is_mine ?? false,
    ca: session.sandbox.certificate?.pem,
  })
  if (browser === 'chromium') return startChromium(session)
  if (browser === 'http' || pages.fragment) return http
  const first = await openFirstPage(http, { api, pages, session })
  const needsBrowser = needsScripts(first)
  if (!needsBrowser && !hasScripts(first)) return http
  try {
    return await startChromium(session)
  } catch (error) {
    if (!(error instanceof AuditProblem && error.remedy)) throw error
    if (needsBrowser) throw new AuditProblem(takesABrowser(error.remedy), { cause: error })
    // The audit goes on without scripts and reports what it finds.
    return http
  }
}

/** Decision: --cdp and --headed choose Chromium without --browser. */
const browserOf = ({ cdp, headed, browser }: AuditSettings) =>
  browser ?? (cdp || headed ? 'chromium' : 'auto')

/** Opens the page of the app. The visit ends before a request to the sandbox. */
async function openFirstPage(
  agent: Agent,
  {
    api,
    pages,
    session,
  }: { api: SandboxApi; pages: Omit<PageSettings, 'agent'>; session: AuditSession },
): Promise<BrowserVisit> {
  const { plan, signal } = session
  const { timeout: timeoutSeconds = DEFAULTS.timeoutSeconds } = plan.settings
  const driver = createDriver(api, { ...pages, agent, signal, timeoutSeconds })
  return driver.open({ url: pages.page }, await driver.newBrowser())
}

/** Whether the app requests an answer in the fragment, which only a script can read. */
const needsScripts = ({ end, url = '' }: BrowserVisit): boolean =>
  end === 'stopped' &&
  URL.canParse(url) &&
  !/[?&]response_mode=(?:query|form_post)(?:&|$)/.test(url)

const hasScripts = ({ end, page }: BrowserVisit): boolean =>
  end === 'page' && /<script\b/i.test(page?.text ?? '')

async function startChromium({ plan, sandbox, host }: AuditSession): Promise<Agent> {
  const { cdp, headed, this_app_is_mine: anyAddress = false } = plan.settings
  const chromePath = host.environment['CHROME_PATH'] || undefined
  const chromium = await launchChromium({ chromePath, cdpUrl: cdp, headed })
  return createChromiumAgent(chromium, {
    anyAddress,
    anyCertificate: sandbox.certificate !== undefined,
  })
}
