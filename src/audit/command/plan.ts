import { ConfigError } from '../../files/config-error.ts'
import { quote } from '../../text/message-parts.ts'
import type { Begin, PageRequest } from '../agent/browser.ts'
import { isPrivateAddress } from '../agent/parties.ts'
import type { PageSettings } from '../drive/driver.ts'
import type { AuditRunOptions, FlowOptions } from '../options.ts'
import { AUDIT_FILE, type AuditFile } from './audit-file.ts'
import { type AuditMode, readUnsettled } from './last-run.ts'
import { type AuditFileValues, type AuditSettings, type RequestInFile, readyPattern } from './settings.ts'

export type AuditPlan = ReturnType<typeof planAudit>
export type AppStart = ReturnType<NonNullable<AuditPlan['start']>['of']>

type Environment = Readonly<Record<string, string | undefined>>

const PORT = '{port}'
const BASE_URL = '{base_url}'
const NO_APP = `the address of the app is missing: give the page where a user begins to prove an age, as in agekey-sandbox audit http://localhost:3000/verify, or app in ${AUDIT_FILE}`

/** Combines flags and file; flags go first. @throws ConfigError with one line for what does not fit together */
export function planAudit(
  given: AuditSettings,
  { file, environment }: { file: AuditFile | undefined; environment: Environment },
) {
  const settings = settle(given, file?.values)
  const { app, start, before = [], reset, use, create, upgrade, audit } = settings
  if (app === undefined) throw ConfigError.of(NO_APP)
  const placeOf = (key: 'app' | 'start' | 'audit') => `${AUDIT_FILE}:${file?.lineOf(key) ?? 1}: ${key}`
  const refuse = (problem: string) =>
    ConfigError.of(given.app === undefined ? `${placeOf('app')}: ${problem}` : problem)
  if (app.includes(PORT) && start === undefined)
    throw refuse('{port} is a free port for an app that the audit starts; give --start, or the port of your app')
  if (!settings.this_app_is_mine && !isPrivateAddress(app.replaceAll(PORT, '80')))
    throw refuse(
      `${app} is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours`,
    )
  const mode: AuditMode = given.learn ? 'learn' : given.again ? 'again' : given.readings ? 'readings' : 'run'
  const only = mode === 'again' ? readUnsettled(app) : settings.only
  const { age, skip, catalogue, fail_on: failOn, known, jobs, repeat, slow, timeout, budget } = settings
  const options: AuditRunOptions = {
    use: { accepted: use?.accepted, refused: use?.refused },
    ...{ create: flowOf(create), upgrade: flowOf(upgrade) },
    ...{ age, only, skip, catalogue, failOn, known, jobs, repeat, slow },
    ...{ timeoutSeconds: timeout, budgetSeconds: budget },
  }
  return {
    given,
    settings,
    options,
    mode,
    /** The page as it was given, with `{port}`. */
    app,
    /** How to start the app; absent when it runs already. */
    start: start && {
      place: given.start === undefined ? placeOf('start') : '--start',
      /** Whether each copy of the app gets its own port and tenant. */
      // Decision: without {base_url} all copies would use the tenant at the base URL, so there is only one copy.
      isCopied: app.includes(PORT) && JSON.stringify([start.run, start.env]).includes(BASE_URL),
      of({ baseUrl, port }: { baseUrl: string; port: number }) {
        const filled = (text: string) => text.replaceAll(BASE_URL, baseUrl).replaceAll(PORT, String(port))
        const { run, ready = app, env = {} } = start
        return {
          run: typeof run === 'string' ? filled(run) : run.map(filled),
          page: filled(app),
          ready: readyPattern(filled(ready)) ?? filled(ready),
          env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(String(value))])),
        }
      },
    },
    pagesAt: (port: number): Omit<PageSettings, 'agent'> => ({
      page: app.replaceAll(PORT, String(port)),
      before: before.map(requestOf),
      reset: reset && requestOf(reset),
      fragment: use?.fragment && { post: use.fragment.post, as: use.fragment.as ?? 'form' },
      start: use?.start === undefined ? undefined : requestOf(use.start),
      begin: beginOf(use?.begin),
    }),
    /** How to ask the app whether it finds a verification again; the URL is a path of the app. */
    question: audit && { ...requestOf(audit), headers: headersOf(audit.headers, placeOf('audit'), environment) },
    /** Where the file names the code that reads the answers of a flow, or the app. */
    sourceOf(flow: string) {
      if (file === undefined) return undefined
      const ofCreate = flow === 'create' || flow === 'par'
      const own = ofCreate ? file.values.create : /^(?:token|upgrade)$/.test(flow) ? file.values.upgrade : undefined
      const source = (own ?? file.values.use)?.source ?? `${AUDIT_FILE}:${file.lineOf('app')}`
      const [path = '', line = 1] = source.split(':')
      return { file: path, line: Number(line) }
    },
  }
}

/** The settings of an audit: flags go before the file. */
export function settle(given: AuditSettings, file: AuditFileValues = {}): AuditSettings {
  const { app, start, use, audit, known = [] } = given
  return {
    ...file,
    ...given,
    // Decision: --start replaces only the command of the file; ready and env stay.
    start: start ? { ...file.start, ...start } : file.start,
    // Decision: a URL on the command line goes before both places of the file that say where Use begins.
    use: { ...file.use, ...(app !== undefined && { start: undefined }), ...use },
    audit: audit ? { headers: file.audit?.headers, ...audit } : file.audit,
    // If both give a reason for a row, that of the flag counts.
    known: [...known, ...(file.known ?? []).filter(({ row }) => !known.some((one) => one.row === row))],
  }
}

const flowOf = ({ start, begin, accepted, refused }: NonNullable<AuditSettings['create']> = {}): FlowOptions => ({
  start: start === undefined ? undefined : { ...requestOf(start), begin: beginOf(begin) },
  accepted,
  refused,
})

const beginOf = (begin: RequestInFile | undefined): Begin | undefined =>
  begin?.click === undefined ? begin && { request: requestOf(begin) } : { click: begin.click }

/** A path, which each copy of the app resolves against its own page. */
function requestOf(request: string | RequestInFile): PageRequest {
  const { get, post = '', form, json } = typeof request === 'string' ? { get: request } : request
  if (get !== undefined) return { url: get, method: 'GET' }
  const texts = form && Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]))
  return { url: post, method: 'POST', ...(texts && { form: texts }), ...(json !== undefined && { json }) }
}

/** Headers with variables of the environment filled in. No message shows a value. */
function headersOf(headers: Readonly<Record<string, string>> = {}, place: string, environment: Environment) {
  const fillIn = (name: string, value: string) =>
    value.replaceAll(/\{env:([^}]*)\}/g, (_, variable: string) => {
      if (environment[variable]) return environment[variable]
      const problem = `needs the variable ${quote(variable)} of the environment, which is not set`
      throw ConfigError.of(`${place}: headers: ${name} ${problem}`)
    })
  const filled = Object.entries(headers).map(([name, value]): [string, string] => [name, fillIn(name, value)])
  try {
    return Object.fromEntries(new Headers(filled))
  } catch (cause) {
    throw ConfigError.of(`${place}: headers: a name or a value has characters that HTTP does not take`, { cause })
  }
}
