import type { PageRequest } from '../../audit/agent/browser.ts'
import { isPrivateAddress } from '../../audit/agent/private-address.ts'
import type { PageSettings } from '../../audit/drive/driver.ts'
import type { AuditOptions, FlowOptions } from '../../audit/options.ts'
import { ConfigError } from '../../files/config-error.ts'
import type { AppStart } from './app/start-app.ts'
import { READY_PATTERN, type RequestInFile } from './file/file-schema.ts'
import { AUDIT_FILE, type AuditFile } from './file/read-audit-file.ts'
import type { AuditRequest } from './read-flags.ts'

/** What an audit is to do, by the flags and by the file. */
export interface AuditPlan {
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
  of(values: Pick<Placeholders, 'port'>): {
    readonly pages: Omit<PageSettings, 'agent'>
    readonly options: AuditOptions
  }
}

/** What stands for `{base_url}` and `{port}`. */
export interface Placeholders {
  readonly baseUrl: string
  /** Of the app. */
  readonly port: number
}

const PORT = '{port}'
const BASE_URL = '{base_url}'

/** Whether the app takes a free port. */
export const needsPort = ({ app }: AuditPlan): boolean => app.includes(PORT)

/** The port in an address. */
export function portOf(address: string): number {
  const { port, protocol } = new URL(address)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Settles what is to be done; flags go before the file. @throws ConfigError with one line for what does not fit */
export function planAudit(request: AuditRequest, file: AuditFile | undefined): AuditPlan {
  const { page } = request
  const { values = {}, lineOf } = file ?? {}
  const app = page ?? values.app
  if (app === undefined) throw ConfigError.of(NO_APP)
  const placeOf = (key: 'app' | 'start') => `${AUDIT_FILE}:${lineOf?.(key) ?? 1}: ${key}`
  // Decision: --start replaces the command of the file alone; ready and env stay.
  const start = request.start === undefined ? values.start : { ...values.start, run: request.start }
  const place = page === undefined ? `${placeOf('app')}: ` : ''
  if (app.includes(PORT) && start === undefined)
    throw ConfigError.of(
      `${place}{port} is a free port for an app that the audit starts; give --start, or the port of your app`,
    )
  if (!request.isOwnApp && !isPrivateAddress(app.replaceAll(PORT, '80')))
    throw ConfigError.of(
      `${place}${app} is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours`,
    )
  return {
    app,
    start: start && {
      place: request.start === undefined ? placeOf('start') : '--start',
      // Decision: without {base_url} copies would all use the tenant at the base URL, so there is one.
      isCopied: app.includes(PORT) && JSON.stringify([start.run, start.env]).includes(BASE_URL),
      of: (known) => startOf(start, app, known),
    },
    of: ({ port }) => {
      const given = { ...values, app: app.replaceAll(PORT, String(port)) }
      return { pages: pagesOf(given), options: optionsOf(request, given) }
    },
  }
}

const NO_APP = `the address of the app is missing: give the page where a user begins to prove an age, as in agekey-sandbox audit http://localhost:3000/verify, or app in ${AUDIT_FILE}`

type Values = NonNullable<AuditFile['values']>

function startOf(
  { run, ready, env = {} }: NonNullable<Values['start']>,
  app: string,
  { baseUrl, port }: Placeholders,
): AppStart {
  const filled = (text: string) => text.replaceAll(BASE_URL, baseUrl).replaceAll(PORT, String(port))
  return {
    run: typeof run === 'string' ? filled(run) : run.map(filled),
    page: filled(app),
    ready: readySign(filled(ready ?? app)),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(String(value))])),
  }
}

/** `/listening on/` is a pattern of a line, everything else an address. */
function readySign(text: string): string | RegExp {
  const [, pattern] = READY_PATTERN.exec(text) ?? []
  return pattern === undefined ? text : new RegExp(pattern)
}

const pagesOf = ({ app, before = [], reset, use }: Values & { app: string }): Omit<PageSettings, 'agent'> => ({
  page: app,
  before: before.map(requestOf),
  reset: reset && requestOf(reset),
  fragment: use?.fragment && { post: use.fragment.post, as: use.fragment.as ?? 'form' },
})

function optionsOf(request: AuditRequest, values: Values): AuditOptions {
  const { page, accepted, only, skip, limits } = request
  const failOn = request.failOn ?? values.fail_on
  const use = flowOf(values.use)
  return {
    // Decision: an address on the command line goes before both places of the file that say where Use begins.
    use: { ...use, ...(page !== undefined && { start: undefined }), ...(accepted !== undefined && { accepted }) },
    create: flowOf(values.create),
    upgrade: flowOf(values.upgrade),
    only: only.length === 0 ? undefined : only,
    skip,
    catalogue: request.catalogue ?? values.catalogue,
    ...(failOn !== undefined && { failOn }),
    known: knownOf(request, values),
    ...limits,
  }
}

/** Those of the flags and of the file. Of a row that both name, the reason of the flag counts. */
const knownOf = ({ known }: AuditRequest, { known: inFile = [] }: Values) => [
  ...known,
  ...inFile.filter(({ row }) => !known.some((flag) => flag.row === row)),
]

function flowOf({ start, accepted, refused }: NonNullable<Values['create']> = {}): FlowOptions {
  return {
    start: start === undefined ? undefined : requestOf(typeof start === 'string' ? { get: start } : start),
    accepted,
    refused,
  }
}

/** A path, which each copy of the app resolves against its own page. */
function requestOf({ get, post, form, json }: RequestInFile): PageRequest {
  const url = get ?? post ?? ''
  if (get !== undefined) return { url, method: 'GET' }
  const texts = form && Object.entries(form).map(([name, value]) => [name, String(value)])
  return { url, method: 'POST', ...(texts && { form: Object.fromEntries(texts) }), ...(json !== undefined && { json }) }
}
