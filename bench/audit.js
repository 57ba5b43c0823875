import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SANDBOX, startCommand } from './command.js'

const APP = fileURLToPath(new URL('../examples/express/app.js', import.meta.url))

/** What a developer waits for at most. */
const WANTED_SECONDS = 60

/**
 * The whole audit of the example app: every row that is for it, with the defaults of the command.
 */
export async function auditOfExample() {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-bench-'))
  const env = { XDG_STATE_HOME: folder }
  const sandbox = await startCommand(process.execPath, [SANDBOX, '-p', '0'], env)
  const baseUrl = sandbox.url.replace('127.0.0.1', 'localhost')
  const app = await startCommand(process.execPath, [APP], { PORT: '0', AGE_BASE_URL: baseUrl })
  const file = join(folder, 'report.json')
  const args = [SANDBOX, 'audit', `${app.url}/verify`, '--url', baseUrl, '--json', file]
  const startedAt = performance.now()
  const code = await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } }, (error) =>
      resolve(error?.code ?? 0),
    )
  })
  const ours = (performance.now() - startedAt) / 1000
  const report = JSON.parse(readFileSync(file, 'utf8'))
  app.stop()
  sandbox.stop()
  rmSync(folder, { recursive: true })
  if (code !== 0) throw new Error(`the audit of the example app ended with ${code}`)
  const judged = report.rows.filter(({ verdict }) => verdict !== 'not for this app').length
  const what = `Audit of the example app, ${judged} rows`
  return [
    { what, ours, theirs: WANTED_SECONDS, unit: 's', ratio: ours / WANTED_SECONDS, wanted: '< 1' },
  ]
}
