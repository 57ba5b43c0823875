/** What `startApp` of audit.md is, for the example app: the text of a module. */
export const START_APP = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export async function startApp(env) {
  // The app ends when its input does: a runner that ends its workers by a signal lets them say
  // nothing more.
  const code = "process.stdin.on('end', () => process.exit()).resume(); import('./app.js')"
  const app = spawn(process.execPath, ['-e', code], { env: { ...process.env, ...env, PORT: '0' }, stdio: ['pipe', 'pipe', 'ignore'] })
  app.stdin.unref()
  const [line] = await once(app.stdout, 'data')
  app.unref()
  app.stdout.resume().unref()
  return /^http:\\S+/.exec(String(line))[0]
}
`
