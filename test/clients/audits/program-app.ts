import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { findFreePort } from '../../support/free-port.ts'
import { ageSignal } from '../../support/requests.ts'

/** Where the apps are. */
export const APPS = fileURLToPath(new URL('./apps/', import.meta.url))

/** What a program prints; empty when it is not here or fails. */
export const outputOf = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? ''

interface Program {
  readonly command: string
  readonly args?: readonly string[]
  /** Writes what the program reads when it starts: variables of its environment. */
  prepare?(app: { readonly baseUrl: string; readonly appUrl: string }): Readonly<Record<string, string>>
}

/** Starts an app that is a program, for one test: the page where a user begins. */
export const startProgram =
  ({ command, args = [], prepare }: Program) =>
  async ({ baseUrl }: Pick<Sandbox, 'baseUrl'>): Promise<string> => {
    const port = `${await findFreePort()}`
    const appUrl = `http://localhost:${port}`
    const env = {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      AUTHLIB_INSECURE_TRANSPORT: '1',
      PORT: port,
      FLASK_RUN_PORT: port,
      APP_URL: appUrl,
      ISSUER: `${baseUrl}/v1/oidc/use`,
      UPGRADE_URL: `${baseUrl}/v1/svc/upgrade`,
      UPGRADE: JSON.stringify({ authorization_details: [ageSignal()] }),
      ...prepare?.({ baseUrl, appUrl }),
    }
    // Its log is of no use: the rows of the catalogue fill it.
    const app = spawn(command, args, { cwd: APPS, env, stdio: 'ignore' })
    onTestFinished(() => void app.kill())
    const ended = once(app, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`)))
    await Promise.race([ended, vi.waitFor(() => fetch(appUrl), { timeout: 60_000, interval: 100 })])
    ended.catch(() => undefined)
    return `${appUrl}/verify`
  }
