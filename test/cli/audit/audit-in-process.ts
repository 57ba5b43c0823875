import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest'
import { type GivenFlags, planAudit, readAuditFile, readFlags, sameCall } from '../../../src/audit/command/plan.ts'
import { auditApp } from '../../../src/audit/command/run.ts'
import { createAuditHost, openSandbox, preflight } from '../../../src/cli/audit/audit-command.ts'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { type AuditReport, auditReportSchema } from '../../../src/sandbox/outcomes/report/audit-report.ts'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { findBrokenApp } from '../../audit/apps/broken-apps.ts'
import { createScratchFolder } from '../../docs/scratch-folder.ts'
import { type Changes, startExpressExample } from '../../support/express-example.ts'
import { USE_ALONE } from '../../support/visits.ts'

/** Gives each test an empty working folder, in which programs find the packages of the repository. */
export function useScratchFolder(): void {
  const home = process.cwd()
  let remove = () => {}
  beforeEach(() => {
    const scratch = createScratchFolder()
    remove = scratch.remove
    process.chdir(scratch.folder)
  })
  afterEach(() => {
    process.chdir(home)
    remove()
  })
}

/** The report in a file. */
export const reportIn = (file: string): AuditReport => auditReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))

/** The names of the tenants of a sandbox. */
export async function tenantsOf({ url }: Pick<Sandbox, 'url'>): Promise<string[]> {
  const { tenants } = await (await fetch(`${url}/_sandbox/tenants`)).json()
  return tenants.map(({ name }: { name: string }) => name)
}

type Exp = 'checked' | 'ignored' | 'sometimes ignored'

/** Starts the Express example without Create and Upgrade, for one test. @returns the page on which a user begins */
export async function startSmallApp(
  baseUrl: string,
  { exp = 'checked', changes: more = [] }: { exp?: Exp; changes?: Changes } = {},
): Promise<string> {
  const { changes } = findBrokenApp('does not look at exp')
  const moods = changes.map(([text, other]) => [text, other.replace('if (', 'if ((app.mood = !app.mood) && ')] as const)
  const faults = { checked: [], ignored: changes, 'sometimes ignored': moods }[exp]
  const app = await startExpressExample({ baseUrl, url: baseUrl }, [...USE_ALONE, ...faults, ...more])
  onTestFinished(() => app.stop())
  return `${app.url}/verify`
}

/** How `agekey-audit.yaml` starts the Express example, or the app in a file of the working folder. */
export function writeStart(app: string, more = ''): void {
  writeFileSync('app.mjs', app)
  const run = `[${JSON.stringify(process.execPath)}, app.mjs]`
  const start = `start:\n  run: ${run}\n  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }\n${more}`
  writeFileSync('agekey-audit.yaml', `app: http://localhost:{port}/verify\n${start}`)
}

/** Runs `agekey-sandbox audit` in this process. @param given.rows judged as if there were no others */
export async function auditInProcess(
  sandbox: Pick<Sandbox, 'url'>,
  { page, rows, ...more }: { page?: string; rows?: readonly string[] } & GivenFlags,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const flags = { url: sandbox.url, ...more }
  const given = readFlags(page, flags)
  const file = readAuditFile()
  const settings = await loadSettings({ flags: { log: 'silent', 'state-dir': 'none' }, env: {} })
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const host = { ...createAuditHost(settings, given), say, mask: createMask(['not-a-real-secret']) }
  const plan = planAudit(given, { file, environment: host.environment })
  const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  // The first answer of a sandbox takes longest, and the command waits for three seconds.
  await fetch(`${sandbox.url}/_sandbox/health`)
  const open = await openSandbox(settings, given.url)
  try {
    await preflight(open)
    const { signal } = new AbortController()
    const session = { sandbox: open, host, command: sameCall(page, flags, []), signal }
    const options = { ...plan.options, ...(rows && { only: rows }) }
    const code = await auditApp({ ...session, plan: { ...plan, options } })
    const stderr = progress.mock.calls.map(([text]) => String(text)).join('')
    return { code, stdout: `${lines.join('\n')}\n`, stderr }
  } finally {
    await open.close()
    progress.mockRestore()
  }
}
