import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Agent } from '../agent/browser.ts'
import { createChromiumAgent } from '../agent/chromium/chromium-agent.ts'
import { launchChromium } from '../agent/chromium/launch.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import { createDriver, type PageSettings } from '../drive/driver.ts'
import { takesABrowser } from '../learn/app-profile.ts'
import { DEFAULTS } from '../options.ts'
import type { Session } from './session.ts'

/**
 * The agent that `--browser` names. By `auto` plain HTTP, unless the app, which runs, answers by fragment, or its first page has
 * scripts and leads nowhere without them. @throws AuditProblem in one line when it takes a browser and there is none
 */
export async function chooseAgent(
  { plan: { settings }, sandbox, host, signal }: Session,
  api: SandboxApi,
  pages: Omit<PageSettings, 'agent'>,
): Promise<Agent> {
  const { cdp, headed, this_app_is_mine: anyAddress = false, timeout = DEFAULTS.timeoutSeconds } = settings
  // Decision: --cdp and --headed choose Chromium without --browser.
  const { browser = cdp || headed ? 'chromium' : 'auto' } = settings
  const http = createHttpAgent({ anyAddress, ca: sandbox.certificate?.pem })
  if (browser === 'http' || (browser === 'auto' && pages.fragment)) return http
  let needsBrowser = false
  if (browser === 'auto') {
    const driver = createDriver(api, { ...pages, agent: http, signal, timeoutSeconds: timeout })
    // Up to the request for the sandbox, which is not sent.
    const { end, url = '', page } = await driver.open({ url: pages.page }, await driver.newBrowser())
    needsBrowser = end === 'stopped' && URL.canParse(url) && !/[?&]response_mode=(?:query|form_post)(?:&|$)/.test(url)
    const hasScripts = end === 'page' && /<script\b/i.test(page?.text ?? '')
    if (!needsBrowser && !hasScripts) return http
  }
  try {
    const chromePath = host.environment['CHROME_PATH'] || undefined
    const chromium = await launchChromium({ chromePath, cdpUrl: cdp, headed })
    return createChromiumAgent(chromium, { anyAddress, anyCertificate: sandbox.certificate !== undefined })
  } catch (error) {
    if (browser === 'chromium' || !(error instanceof AuditProblem && error.remedy)) throw error
    if (needsBrowser) throw new AuditProblem(takesABrowser(error.remedy), { cause: error })
    // The audit then says what it met without scripts.
    return http
  }
}
