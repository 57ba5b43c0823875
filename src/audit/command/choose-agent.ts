import type { SandboxApi } from '../../client/sandbox-api.ts'
import { onDemand } from '../../files/on-demand.ts'
import type { Agent, Visit } from '../agent/browser.ts'
import { createHttpAgent } from '../agent/http-agent.ts'
import { AuditProblem } from '../audit-problem.ts'
import { createDriver, type PageSettings } from '../drive/driver.ts'
import { takesABrowser } from '../learn/app-profile.ts'
import type { AuditSettings } from './settings.ts'

type Pages = Omit<PageSettings, 'agent'>

/** Chooses the agent of an audit. */
export interface AgentChoice {
  /**
   * The agent that `--browser` names, the same one for all copies of an app. The app runs. By `auto` plain HTTP, unless the app
   * answers by fragment, or its first page has scripts and leads nowhere without them.
   * @throws AuditProblem in one line when it takes a browser and there is none
   */
  choose(sandbox: SandboxApi, pages: Pages): Promise<Agent>
  /** Those of the agent that was chosen. */
  notes(): readonly string[]
  /** Ends what the agent started. */
  close(): Promise<void>
}

export interface ChoiceSettings {
  readonly settings: AuditSettings
  /** PEM of the certificate of the sandbox. */
  readonly certificate: string | undefined
  /** Chromium to start. */
  readonly chromePath: string | undefined
  readonly signal: AbortSignal
}

/** A page is slow when it takes longer, and then a browser would not be faster. */
const LOOK_SECONDS = 10

// Loaded for an audit that needs it only, so that no other command waits for it.
const loadLaunch = onDemand(() => import('../agent/chromium/launch.ts'))
const loadAgent = onDemand(() => import('../agent/chromium/chromium-agent.ts'))

export function createAgentChoice(options: ChoiceSettings): AgentChoice {
  let choosing: Promise<Agent> | undefined
  let chosen: Agent | undefined
  return {
    async choose(sandbox, pages) {
      choosing ??= choose(options, sandbox, pages)
      chosen = await choosing
      return chosen
    },
    notes: () => chosen?.notes() ?? [],
    close: async () => chosen?.close(),
  }
}

async function choose(options: ChoiceSettings, sandbox: SandboxApi, pages: Pages): Promise<Agent> {
  const { settings, certificate, signal } = options
  // Decision: --cdp and --headed choose Chromium without --browser.
  const { browser = settings.cdp || settings.headed ? 'chromium' : 'auto', timeout = LOOK_SECONDS } = settings
  if (browser === 'chromium') return startChromium(options)
  const http = createHttpAgent({ anyAddress: settings.this_app_is_mine ?? false, ca: certificate })
  if (browser === 'http' || pages.fragment) return http
  const driver = createDriver(sandbox, { ...pages, agent: http, signal, timeoutSeconds: timeout })
  // Up to the request for the sandbox, which is not sent.
  const need = needOf(await driver.open({ url: pages.page }, await driver.newBrowser()))
  if (need === 'nothing') return http
  const { ChromiumProblem } = await loadLaunch()
  try {
    return await startChromium(options)
  } catch (error) {
    if (!(error instanceof ChromiumProblem)) throw error
    if (need === 'a browser') throw new AuditProblem(takesABrowser(error.remedy), { cause: error })
    // The audit then says what it met without scripts.
    return http
  }
}

function needOf({ end, url = '', page }: Visit): 'nothing' | 'a browser' | 'scripts, maybe' {
  if (end === 'stopped' && URL.canParse(url)) {
    const mode = new URL(url).searchParams.get('response_mode')
    return mode === 'query' || mode === 'form_post' ? 'nothing' : 'a browser'
  }
  return end === 'page' && /<script\b/i.test(page?.text ?? '') ? 'scripts, maybe' : 'nothing'
}

async function startChromium({ settings, certificate, chromePath }: ChoiceSettings): Promise<Agent> {
  const { cdp, headed = false, this_app_is_mine: anyAddress = false } = settings
  const [{ launchChromium }, { createChromiumAgent }] = await Promise.all([loadLaunch(), loadAgent()])
  const chromium = await launchChromium({ chromePath, cdpUrl: cdp, headed })
  return createChromiumAgent(chromium, { anyAddress, anyCertificate: certificate !== undefined })
}
