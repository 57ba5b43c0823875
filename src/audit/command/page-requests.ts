import { ConfigError } from '../../sandbox/files/config-error.ts'
import { quote } from '../../service/text/message-parts.ts'
import type { Begin, PageRequest } from '../agent/browser.ts'
import type { FlowOptions } from '../options.ts'
import type { AuditHost } from './audit-host.ts'
import type { AuditSettings, RequestInFile } from './settings/settings.ts'

/** A request whose URL is a path. Each copy of the app resolves the path against its own page. */
export function requestOf(request: string | RequestInFile): PageRequest {
  const { get, post = '', form, json } = typeof request === 'string' ? { get: request } : request
  if (get !== undefined) return { url: get, method: 'GET' }
  return {
    url: post,
    method: 'POST',
    ...(form && { form: textsOf(form) }),
    ...(json !== undefined && { json }),
  }
}

const textsOf = (form: NonNullable<RequestInFile['form']>) =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]))

/** How a user begins a flow on the start page. */
export function beginOf(begin: RequestInFile | undefined): Begin | undefined {
  if (begin?.click !== undefined) return { click: begin.click }
  return begin && { request: requestOf(begin) }
}

/** The options of Create or Upgrade. */
export const flowOptionsOf = ({
  start,
  begin,
  accepted,
  refused,
}: NonNullable<AuditSettings['create']> = {}): FlowOptions => ({
  start: start === undefined ? undefined : { ...requestOf(start), begin: beginOf(begin) },
  accepted,
  refused,
})

/** A request that asks the app whether it knows a `sub`. */
export type AppQuestion = PageRequest & { readonly headers: Readonly<Record<string, string>> }

/**
 * Makes the question of the setting `audit`, with variables of the environment filled in.
 * @throws ConfigError when a variable is not set, or a header is not valid in HTTP
 */
export const questionOf = (
  question: NonNullable<AuditSettings['audit']>,
  place: string,
  environment: AuditHost['environment'],
): AppQuestion => ({
  ...requestOf(question),
  headers: headersOf(question.headers, place, environment),
})

/** Fills variables of the environment into headers. No message shows a value. */
function headersOf(
  headers: Readonly<Record<string, string>> = {},
  place: string,
  environment: AuditHost['environment'],
): Readonly<Record<string, string>> {
  const fillIn = (name: string, value: string) =>
    value.replaceAll(/\{env:([^}]*)\}/g, (_, variable: string) => {
      if (environment[variable]) return environment[variable]
      const problem = `needs the variable ${quote(variable)} of the environment, which is not set`
      throw ConfigError.of(`${place}: headers: ${name} ${problem}`)
    })
  const filled = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    fillIn(name, value),
  ])
  try {
    return Object.fromEntries(new Headers(filled))
  } catch (cause) {
    throw ConfigError.of(
      `${place}: headers: a name or a value has characters that HTTP does not take`,
      { cause },
    )
  }
}
