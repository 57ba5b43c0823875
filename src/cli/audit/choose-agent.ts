import type { Agent, Visit } from '../../audit/agent/browser.ts'
import { createHttpAgent } from '../../audit/agent/http-agent.ts'
import { AuditProblem } from '../../audit/audit-problem.ts'
import { createDriver, type PageSettings } from '../../audit/drive/driver.ts'
import { takesABrowser } from '../../audit/learn/app-profile.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { ownEnvironment } from '../../config/load-settings.ts'
import type { OpenSandbox } from './open-sandbox.ts'
import type { AuditRequest } from './read-flags.ts'

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
  readonly request: AuditRequest
  readonly sandbox: OpenSandbox
  readonly signal: AbortSignal
}

/** A page is slow when it takes longer, and then a browser would not be faster. */
const LOOK_SECONDS = 10

export function createAgentChoice(settings: ChoiceSettings): AgentChoice {
  let choosing: Promise<Agent> | undefined
  let chosen: Agent | undefined
  return {
    async choose(sandbox, pages) {
      choosing ??= choose(settings, { sandbox, pages })
      chosen = await choosing
      return chosen
    },
    notes: () => chosen?.notes() ?? [],
    close: async () => chosen?.close(),
  }
}

async function choose(
  settings: ChoiceSettings,
  { sandbox, pages }: { sandbox: SandboxApi; pages: Pages },
): Promise<Agent> {
  const { request, signal } = settings
  const { kind } = request.browser
  if (kind === 'chromium') return startChromium(settings)
  const http = createHttpAgent({ anyAddress: request.isOwnApp, ca: settings.sandbox.certificate })
  if (kind === 'http' || pages.fragment) return http
  const { timeoutSeconds = LOOK_SECONDS } = request.limits
  const driver = createDriver(sandbox, { ...pages, agent: http, signal, timeoutSeconds })
  // Up to the request for the sandbox, which is not sent.
  const need = needOf(await driver.open({ url: pages.page }, await driver.newBrowser()))
  if (need === 'nothing') return http
  const { ChromiumProblem } = await import('../../audit/agent/chromium/launch.ts')
  try {
    return await startChromium(settings)
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

async function startChromium({ request, sandbox }: ChoiceSettings): Promise<Agent> {
  // Decision: it is loaded for an audit that needs it only, so that no other command waits for it.
  const { launchChromium } = await import('../../audit/agent/chromium/launch.ts')
  const { createChromiumAgent } = await import('../../audit/agent/chromium/chromium-agent.ts')
  const { cdpUrl, isHeaded } = request.browser
  const chromium = await launchChromium({
    chromePath: ownEnvironment()['CHROME_PATH'] || undefined,
    cdpUrl,
    headed: isHeaded,
  })
  return createChromiumAgent(chromium, {
    anyAddress: request.isOwnApp,
    anyCertificate: sandbox.certificate !== undefined,
  })
}
