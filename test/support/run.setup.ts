import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { CHROMIUM_ARGS } from './chromium-args.ts'
import { findFreePort } from './free-port.ts'
import { chromiumPath } from './tools.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test asks for what a run has once: `test/support/run.ts`. */
    runUrl: string
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** What the package holds beside `dist/`. */
const ASSETS = [
  ...['docs', 'skills', 'personas', 'public', 'package.json'],
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
]

type End = () => unknown

/**
 * What a run of the tests has once. Each is made when the first test asks for it, and is told by
 * one text.
 */
const MADE: Readonly<Record<string, (folder: string, ends: End[]) => Promise<string>>> = {
  /** The package as it is installed: the bundle, and what stands beside it. */
  async package(folder) {
    const built = join(folder, 'package')
    mkdirSync(built)
    for (const name of ASSETS) symlinkSync(join(ROOT, name), join(built, name))
    const rolldown = [join(ROOT, 'node_modules/rolldown/bin/cli.mjs'), '-c', 'rolldown.config.ts']
    await run(process.execPath, [...rolldown, '--dir', join(built, 'dist')], { cwd: ROOT })
    return built
  },
  /** A Redis that no test stops: its address, without a database. */
  async redis(folder, ends) {
    const port = await findFreePort()
    const settings = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--databases',
      '512',
    ]
    const redis = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
    ends.push(() => redis.kill('SIGKILL'))
    await new Promise<void>((resolve, reject) => {
      redis.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
      redis.stdout.on(
        'data',
        (text) => `${text}`.includes('Ready to accept connections') && resolve(),
      )
    })
    return `redis://127.0.0.1:${port}`
  },
  /**
   * Chromium: the address by which Playwright connects. Closing such a connection closes its pages
   * alone.
   */
  async chromium(_folder, ends) {
    if (chromiumPath === undefined)
      throw new Error('there is no Chromium: install it or set CHROMIUM_PATH')
    const server = await chromium.launchServer({
      executablePath: chromiumPath,
      args: [...CHROMIUM_ARGS],
    })
    ends.push(() => server.close())
    return server.wsEndpoint()
  },
}

/** Before a run: answers what tests ask for by `GET /NAME`. @returns what ends all of it */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-tests-'))
  const made = new Map<string, Promise<string>>()
  const ends: End[] = []
  let databases = 0
  const make = async (name: string) => {
    const found =
      made.get(name) ??
      MADE[name]?.(folder, ends) ??
      Promise.reject(new Error(`no run has ${name}`))
    made.set(name, found)
    return name === 'redis' ? `${await found}/${databases++}` : found
  }
  const server = createServer(async ({ url = '' }, response) => {
    const answer = await make(url.slice(1)).then(
      (text) => ({ status: 200, text }),
      (error: unknown) => ({ status: 500, text: String(error) }),
    )
    response.writeHead(answer.status).end(answer.text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('runUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    await Promise.race([
      Promise.all(ends.map((end) => end())),
      pause(5_000, undefined, { ref: false }),
    ])
    rmSync(folder, { recursive: true, force: true })
  }
}
