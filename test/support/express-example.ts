import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createScratchFolder } from '../docs/scratch-folder.ts'

const APP = fileURLToPath(new URL('../../examples/express/app.js', import.meta.url))

/** Texts of the app, with their replacements. */
export type Changes = readonly (readonly [text: string, other: string])[]

export type RunningApp = Awaited<ReturnType<typeof startExpressExample>>

/**
 * Starts the Express example in this process with some texts changed.
 * @throws Error for a text that the app lacks
 */
export async function startExpressExample(
  { baseUrl, url }: Pick<Sandbox, 'baseUrl' | 'url'>,
  changes: Changes = [],
) {
  const { folder, remove } = createScratchFolder()
  const file = join(folder, 'app.mjs')
  const env = JSON.stringify({ PORT: '0', AGE_BASE_URL: baseUrl, AGE_SERVER_URL: url })
  const code = changed(readFileSync(APP, 'utf8'), [...changes, ['process.env', env]])
  // Its log is dropped: with a broken app every row of the catalogue would fill it.
  writeFileSync(file, `const console = { log() {}, error() {} }\n${code}\nexport { server }\n`)
  const { server }: { server: Server } = await import(file).finally(remove)
  if (!server.listening) await once(server, 'listening')
  return runningAt(server)
}

export const runningAt = (server: Server) => ({
  url: `http://localhost:${(server.address() as AddressInfo).port}`,
  stop() {
    server.closeAllConnections()
    server.close()
  },
})

function changed(code: string, changes: Changes): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the Express example does not hold ${from}`)
    return text.replaceAll(from, () => to)
  }, code)
}
