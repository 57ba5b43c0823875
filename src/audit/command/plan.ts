import { ConfigError } from '../../sandbox/files/config-error.ts'
import { isPrivateAddress } from '../agent/parties.ts'
import type { PageSettings } from '../drive/driver.ts'
import type { AuditRunOptions } from '../options.ts'
import type { AuditHost } from './audit-host.ts'
import { type AuditMode, readUnsettled } from './last-run.ts'
import { type AppQuestion, beginOf, flowOptionsOf, questionOf, requestOf } from './page-requests.ts'
import { AUDIT_FILE, type AuditFile } from './settings/audit-file.ts'
import type { AuditFileValues, AuditSettings } from './settings/settings.ts'
import { PORT, planStart, type StartPlan } from './start-plan.ts'

/** What one call of the command does, according to flags and file. */
export interface AuditPlan {
  readonly mode: AuditMode
  /** The settings from flags only. */
  readonly given: AuditSettings
  /** The settings from flags and file. */
  readonly settings: AuditSettings
  readonly options: AuditRunOptions
  /** The page as given: it may contain `{port}`. */
  readonly app: string
  /** How to start the app; `undefined` if the app already runs. */
  readonly start: StartPlan | undefined
  /** The pages of the app, with `{port}` filled in. */
  pagesAt(port: number): Omit<PageSettings, 'agent'>
  /** The request that asks the app for a `sub`; its URL is a path of the app. */
  readonly question: AppQuestion | undefined
  /** Where the app reads the answers of a flow, otherwise the line of `app` in the file. */
  sourceOf(flow: string): { readonly file: string; readonly line: number } | undefined
}

/**
 * Combines flags and file. Flags take precedence.
 * @throws ConfigError with one line for settings that exclude each other, or without an app
 */
export function planAudit(
  given: AuditSettings,
  {
    file,
    environment,
  }: { readonly file: AuditFile | undefined; readonly environment: AuditHost['environment'] },
): AuditPlan {
  const settings = settle(given, file?.values)
  const placeOf = (key: 'app' | 'start' | 'audit') =>
    `${AUDIT_FILE}:${file?.lineOf(key) ?? 1}: ${key}`
  const app = requireApp(settings, given.app === undefined ? `${placeOf('app')}: ` : '')
  const mode = modeOf(given)
  const only = mode === 'again' ? readUnsettled(app) : settings.only
  const { start, audit } = settings
  const startPlace = given.start === undefined ? placeOf('start') : '--start'
  return {
    mode,
    given,
    settings,
    options: { ...optionsOf(settings), only },
    app,
    start: start && planStart(start, { app, place: startPlace }),
    pagesAt: (port) => pagesOf(settings, app.replaceAll(PORT, String(port))),
    question: audit && questionOf(audit, placeOf('audit'), environment),
    sourceOf: (flow) => file && sourceIn(file, flow),
  }
}

/** Merges the settings from flags and file. Flags take precedence. */
export function settle(given: AuditSettings, file: AuditFileValues = {}): AuditSettings {
  const { app, start, use, audit, known = [] } = given
  return {
    ...file,
    ...given,
    // Decision: --start replaces only the command of the file; ready and env stay.
    start: start ? { ...file.start, ...start } : file.start,
    // Decision: a URL on the command line replaces both `app` and `use.start` of the file.
    use: { ...file.use, ...(app !== undefined && { start: undefined }), ...use },
    audit: audit ? { headers: file.audit?.headers, ...audit } : file.audit,
    // If flag and file give a reason for the same row, the flag takes precedence.
    known: [
      ...known,
      ...(file.known ?? []).filter(({ row }) => !known.some((one) => one.row === row)),
    ],
  }
}

const NO_APP = `the address of the app is missing: give the page where a user begins to prove an age, as in agekey-sandbox audit http://localhost:3000/verify, or app in ${AUDIT_FILE}`

/**
 * Returns the page of the app.
 * @param prefix prefix of messages if the page comes from the file
 * @throws ConfigError when the page is missing or cannot be audited
 */
function requireApp({ app, start, this_app_is_mine: isMine }: AuditSettings, prefix: string) {
  if (app === undefined) throw ConfigError.of(NO_APP)
  if (app.includes(PORT) && start === undefined)
    throw ConfigError.of(
      `${prefix}{port} is a free port for an app that the audit starts; give --start, or the port of your app`,
    )
  if (!isMine && !isPrivateAddress(app.replaceAll(PORT, '80')))
    throw ConfigError.of(
      `${prefix}${app} is beyond this machine and its private network, and the audit sends it hundreds of wrong answers; give --this-app-is-mine when it is yours`,
    )
  return app
}

function modeOf({ learn, again, readings }: AuditSettings): AuditMode {
  if (learn) return 'learn'
  if (again) return 'again'
  return readings ? 'readings' : 'run'
}

const optionsOf = (settings: AuditSettings): AuditRunOptions => ({
  use: { accepted: settings.use?.accepted, refused: settings.use?.refused },
  create: flowOptionsOf(settings.create),
  upgrade: flowOptionsOf(settings.upgrade),
  age: settings.age,
  skip: settings.skip,
  catalogue: settings.catalogue,
  failOn: settings.fail_on,
  known: settings.known,
  jobs: settings.jobs,
  repeat: settings.repeat,
  slow: settings.slow,
  timeoutSeconds: settings.timeout,
  budgetSeconds: settings.budget,
})

function pagesOf(
  { before = [], reset, use }: AuditSettings,
  page: string,
): Omit<PageSettings, 'agent'> {
  return {
    page,
    before: before.map(requestOf),
    reset: reset && requestOf(reset),
    fragment: use?.fragment && { post: use.fragment.post, as: use.fragment.as ?? 'form' },
    start: use?.start === undefined ? undefined : requestOf(use.start),
    begin: beginOf(use?.begin),
  }
}

function sourceIn({ values, lineOf }: AuditFile, flow: string) {
  const source =
    (settingsOf(flow, values) ?? values.use)?.source ?? `${AUDIT_FILE}:${lineOf('app')}`
  const [path = '', line = 1] = source.split(':')
  return { file: path, line: Number(line) }
}

/** The settings `create` or `upgrade` for a call; `undefined` for a call of Use. */
function settingsOf(flow: string, { create, upgrade }: AuditFileValues) {
  if (flow === 'create' || flow === 'par') return create
  return flow === 'token' || flow === 'upgrade' ? upgrade : undefined
}
