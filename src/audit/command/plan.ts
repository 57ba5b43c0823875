import { quote } from '../../age/quote.ts'
import { ConfigError } from '../../files/config-error.ts'
import type { Begin, PageRequest } from '../agent/browser.ts'
import { isPrivateAddress } from '../agent/private-address.ts'
import type { PageSettings } from '../drive/driver.ts'
import type { AuditOptions, FlowOptions } from '../options.ts'
import { AUDIT_FILE, type AuditFile } from './audit-file.ts'
import type { AppRequest } from './find-verifications.ts'
import { type AuditSettings, READY_PATTERN, type RequestInFile, settle } from './settings.ts'
import type { AppStart } from './start-app.ts'

/** What an audit is to do, by the flags and by the file. */
export interface AuditPlan {
  readonly settings: AuditSettings
  /** The page as it was given, with `{port}`. */
  readonly app: string
  /** How the app is started; absent when it runs already. */
  readonly start:
    | {
        readonly place: string
        /** Each copy of the app gets a port and a tenant of its own. */
        readonly isCopied: boolean
        of(values: Placeholders): AppStart
      }
    | undefined
  readonly options: AuditOptions
  pagesAt(port: number): Omit<PageSettings, 'agent'>
  /** How the app is asked whether it finds a verification again: its address is a path of the app. */
  readonly question: AppRequest | undefined
}

/** What stands for `{base_url}` and `{port}`. */
export interface Placeholders {
  readonly baseUrl: string
  /** Of the app. */
  readonly port: number
}

const PORT = '{port}'
const BASE_URL = '{base_url}'

/** The port of the app; `undefined` when it takes a free one. */
export function portOf({ app }: Pick<AuditPlan, 'app'>): number | undefined {
  if (app.includes(PORT)) return undefined
  const { port, protocol } = new URL(app)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/**
 * Settles what is to be done; flags go before the file.
 * @param environment fills in `{env:NAME}`
 * @throws ConfigError with one line for what does not fit
 */
export function planAudit(
  given: AuditSettings,
  { file, environment }: { file: AuditFile | undefined; environment: Readonly<Record<string, string | undefined>> },
): AuditPlan {
  const { values = {}, lineOf = () => 1 } = file ?? {}
  const settings = settle(given, values)
  const { app, start, before = [], reset, use, create, upgrade, audit } = settings
  if (app === undefined) throw ConfigError.of(NO_APP)
  const placeOf = (key: 'app' | 'start' | 'audit') => `${AUDIT_FILE}:${lineOf(key)}: ${key}`
  const place = given.app === undefined ? `${placeOf('app')}: ` : ''
  if (app.includes(PORT) && start === undefined)
    throw ConfigError.of(
      `${place}{port} is a free port for an app that the audit starts; give --start, or the port of your app`,
    )
  if (!settings.this_app_is_mine && !isPrivateAddress(app.replaceAll(PORT, '80')))
    throw ConfigError.of(
      `${place}${app} is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours`,
    )
  return {
    settings,
    app,
    start: start && {
      place: given.start === undefined ? placeOf('start') : '--start',
      // Decision: without {base_url} copies would all use the tenant at the base URL, so there is one.
      isCopied: app.includes(PORT) && JSON.stringify([start.run, start.env]).includes(BASE_URL),
      of: (known) => programOf(start, app, known),
    },
    options: {
      use: { accepted: use?.accepted, refused: use?.refused },
      create: flowOf(create),
      upgrade: flowOf(upgrade),
      age: settings.age,
      only: settings.only,
      skip: settings.skip,
      catalogue: settings.catalogue,
      failOn: settings.fail_on,
      known: settings.known,
      jobs: settings.jobs,
      timeoutSeconds: settings.timeout,
      budgetSeconds: settings.budget,
      repeat: settings.repeat,
      slow: settings.slow,
    },
    pagesAt: (port) => ({
      page: app.replaceAll(PORT, String(port)),
      before: before.map(requestOf),
      reset: reset && requestOf(reset),
      fragment: use?.fragment && { post: use.fragment.post, as: use.fragment.as ?? 'form' },
      start: use?.start === undefined ? undefined : startOf(use.start),
      begin: beginOf(use?.begin),
    }),
    question: audit && {
      ...requestOf(audit),
      headers: headersOf(audit.headers, { place: placeOf('audit'), environment }),
    },
  }
}

const NO_APP = `the address of the app is missing: give the page where a user begins to prove an age, as in agekey-sandbox audit http://localhost:3000/verify, or app in ${AUDIT_FILE}`

function programOf(
  { run, ready, env = {} }: NonNullable<AuditSettings['start']>,
  app: string,
  { baseUrl, port }: Placeholders,
): AppStart {
  const filled = (text: string) => text.replaceAll(BASE_URL, baseUrl).replaceAll(PORT, String(port))
  const sign = filled(ready ?? app)
  const [, pattern] = READY_PATTERN.exec(sign) ?? []
  return {
    run: typeof run === 'string' ? filled(run) : run.map(filled),
    page: filled(app),
    ready: pattern === undefined ? sign : new RegExp(pattern),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(String(value))])),
  }
}

const flowOf = ({ start, begin, accepted, refused }: NonNullable<AuditSettings['create']> = {}): FlowOptions => ({
  start: start === undefined ? undefined : { ...startOf(start), begin: beginOf(begin) },
  accepted,
  refused,
})

const startOf = (start: string | RequestInFile) => requestOf(typeof start === 'string' ? { get: start } : start)

function beginOf(begin: RequestInFile | undefined): Begin | undefined {
  if (begin?.click !== undefined) return { click: begin.click }
  return begin && { request: requestOf(begin) }
}

/** A path, which each copy of the app resolves against its own page. */
function requestOf({ get, post, form, json }: RequestInFile): PageRequest & Pick<AppRequest, 'method'> {
  const url = get ?? post ?? ''
  if (get !== undefined) return { url, method: 'GET' }
  const texts = form && Object.entries(form).map(([name, value]) => [name, String(value)])
  return { url, method: 'POST', ...(texts && { form: Object.fromEntries(texts) }), ...(json !== undefined && { json }) }
}

/** Headers with variables of the environment filled in. No message shows a value. */
function headersOf(
  headers: Readonly<Record<string, string>> = {},
  { place, environment }: { place: string; environment: Readonly<Record<string, string | undefined>> },
): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value.replaceAll(/\{env:([^}]*)\}/g, (_, variable: string) => {
      const text = environment[variable]
      if (text) return text
      throw ConfigError.of(
        `${place}: headers: ${name} needs the variable ${quote(variable)} of the environment, which is not set`,
      )
    }),
  ])
  try {
    new Headers(filled)
  } catch (cause) {
    throw ConfigError.of(`${place}: headers: a name or a value has characters that HTTP does not take`, { cause })
  }
  return Object.fromEntries(filled)
}
