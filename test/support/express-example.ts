import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createScratchFolder } from '../docs/scratch-folder.ts'

const APP = fileURLToPath(new URL('../../examples/express/app.js', import.meta.url))

/** Texts of the app, and what stands there instead. */
export type Changes = readonly (readonly [text: string, other: string])[]

/** An app as it runs: where, and how it ends. */
export interface RunningApp {
  readonly url: string
  stop(): void
}

/** Starts the Express example against a sandbox, with some of its texts changed. @throws Error when a text is not in it */
export async function startExpressExample(
  { baseUrl, url }: Pick<Sandbox, 'baseUrl' | 'url'>,
  changes: Changes = [],
): Promise<RunningApp> {
  const { folder, remove } = createScratchFolder()
  const file = join(folder, 'app.mjs')
  writeFileSync(file, changed(readFileSync(APP, 'utf8'), changes))
  const env = { PATH: process.env['PATH'], PORT: '0', AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url }
  // Its log is of no use: with a broken app every row of the catalogue fills it.
  const app = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await Promise.race([once(app.stdout, 'data'), once(app, 'exit')])
  app.stdout.resume()
  const stop = () => {
    app.kill()
    remove()
  }
  const found = /^http:\S+/.exec(`${line}`)
  if (found) return { url: found[0], stop }
  stop()
  throw new Error(`the changed app does not start: it ended with ${line}`)
}

function changed(code: string, changes: Changes): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the Express example does not hold ${from}`)
    return text.replaceAll(from, () => to)
  }, code)
}
