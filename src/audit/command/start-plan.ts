import { type AuditSettings, readyPattern } from './settings/settings.ts'

/** How to start one copy of the app. */
export interface AppStart {
  /** A shell command, or a program and its arguments. */
  readonly run: string | string[]
  /** The URL of the page where a user begins. */
  readonly page: string
  /** The app is up when this URL answers, or when a line of the log matches. */
  readonly ready: string | RegExp
  readonly env: Readonly<Record<string, string>>
}

/** How the audit starts the app. */
export interface StartPlan {
  /** Prefix of messages: `agekey-audit.yaml:3: start`. */
  readonly place: string
  /** Whether each copy of the app gets its own port and tenant. */
  readonly isCopied: boolean
  of(copy: { readonly baseUrl: string; readonly port: number }): AppStart
}

export const PORT = '{port}'
const BASE_URL = '{base_url}'

export function planStart(
  { run, ready, env = {} }: NonNullable<AuditSettings['start']>,
  { app, place }: { readonly app: string; readonly place: string },
): StartPlan {
  return {
    place,
    // Decision: without {base_url}, all copies would use the same tenant, so there is only one
    // copy.
    isCopied: app.includes(PORT) && JSON.stringify([run, env]).includes(BASE_URL),
    of({ baseUrl, port }) {
      const filled = (text: string) =>
        text.replaceAll(BASE_URL, baseUrl).replaceAll(PORT, String(port))
      const readyText = filled(ready ?? app)
      const variables = Object.entries(env).map(([name, value]) => [name, filled(String(value))])
      return {
        run: typeof run === 'string' ? filled(run) : run.map(filled),
        page: filled(app),
        ready: readyPattern(readyText) ?? readyText,
        env: Object.fromEntries(variables),
      }
    },
  }
}
