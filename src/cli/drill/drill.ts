import { quote } from '../../age/quote.ts'
import { askByHttp } from '../../audit/drill/ask-app.ts'
import { runDrill } from '../../audit/drill/drill.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { DEMO_CLIENT_ID } from '../../sandbox/clients/demo-client.ts'
import { isFlowId } from '../../sandbox/journal/journal.ts'
import { readAuditFile } from '../audit/file/read-audit-file.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { readTimeout } from '../remote/read-timeout.ts'
import { print } from '../terminal.ts'
import { renderDrill } from './drill-report.ts'
import { type QuestionFlags, readQuestion } from './read-question.ts'

export interface DrillFlags extends SandboxAddress, QuestionFlags {
  readonly age?: string
  readonly client?: string
  readonly since?: string
  readonly skip?: readonly string[]
  readonly timeout?: string
  readonly json?: boolean
}

const DEFAULT_TIMEOUT_SECONDS = 10

/**
 * Asks the app at `app`, or the one that `agekey-audit.yaml` names, for each verification that it received.
 * @returns the exit code
 * @throws Error with one line, when nothing can be shown
 */
export async function drill(app: string | undefined, flags: Texts, options: DrillFlags): Promise<number> {
  const { client: clientId, since, skip = [], json = false } = options
  requireFlow('--since', since)
  for (const id of skip) requireFlow('--skip', id)
  const timeoutSeconds = readTimeout(options.timeout, DEFAULT_TIMEOUT_SECONDS)
  const file = readAuditFile()
  const age = readAge(options.age) ?? file?.values.audit?.age
  const request = readQuestion(app, options, file)
  const { api, requireTenant } = await reachSandbox(flags, options)
  await requireTenant()
  const question = askByHttp(request, { timeoutSeconds })
  const report = await runDrill(api, question, { clientId, since, age, skip, otherClients: [DEMO_CLIENT_ID] })
  if (json) print(JSON.stringify(report, undefined, 2))
  else for (const line of renderDrill(report)) print(line)
  return report.exit_code
}

function readAge(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,2}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw ConfigError.of(`--age: ${quote(text)} is not an age in years like 18`)
}

function requireFlow(flag: string, id: string | undefined): void {
  if (id !== undefined && !isFlowId(id))
    throw ConfigError.of(`${flag}: ${quote(id)} is not the id of a flow like f12; the console shows them`)
}
