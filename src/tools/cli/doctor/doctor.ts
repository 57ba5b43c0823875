import { internalUrlProblem } from '../../../sandbox/addresses/addresses.ts'
import { BUILTIN_CLIENT } from '../../../sandbox/clients/clients.ts'
import { createClock } from '../../../sandbox/clock/clock.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { readTextFile } from '../../../sandbox/files/text-file.ts'
import type { Texts } from '../../../server/config/text-settings.ts'
import { readLeaf } from '../../../server/tls/certificate.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { visible } from '../../../service/text/visible.ts'
import { type AskFlags, reachSandbox } from '../remote/reach-sandbox.ts'
import { paint, print, printJson } from '../terminal.ts'
import type { Diagnosis } from './diagnosis.ts'
import { examine } from './examine.ts'
import type { DoctorVisit } from './visit.ts'

/** The flags of the command, unparsed. */
export interface DoctorOptions extends AskFlags {
  /** The issuer (default: the issuer of the sandbox that other commands would call). */
  readonly issuer?: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly redirectUri?: string
  readonly ca?: string
  readonly timeout?: string
}

/**
 * Prints why an app on this machine cannot use a sandbox, and which lines to change. All checks use
 * only the network.
 * @returns whether all checks passed
 * @throws ConfigError for wrong flags
 */
export async function doctor(flags: Texts, options: DoctorOptions): Promise<boolean> {
  const isDefault = options.issuer === undefined
  const visit = visitOf(flags, { ...options, issuer: await issuerFor(flags, options) })
  if (isDefault && !options.json)
    print(`No --issuer is given: this looks at that of the sandbox, ${visible(visit.issuer)}`)
  const diagnoses = await examine(visit)
  const isWell = diagnoses.every(({ status }) => status !== 'problem')
  const report = { ok: isWell, issuer: visit.issuer, default_issuer: isDefault, checks: diagnoses }
  if (options.json) printJson(report)
  else for (const line of reportLines(diagnoses)) print(line)
  return isWell
}

/** @throws ConfigError when `--issuer` and another address are given */
async function issuerFor(flags: Texts, { issuer, url, tenant }: DoctorOptions): Promise<string> {
  if (issuer === undefined)
    return (await reachSandbox(flags, { url, tenant })).pages + ENDPOINTS.use.path
  const [other] = Object.entries({ url, tenant }).filter(([, value]) => value !== undefined)
  if (other)
    throw ConfigError.of(`--${other[0]}: --issuer says which sandbox is meant; give one of both`)
  return issuer
}

function visitOf(
  flags: Texts,
  {
    timeout = '5',
    ca,
    clientId,
    clientSecret,
    redirectUri,
    issuer,
  }: DoctorOptions & { readonly issuer: string },
): DoctorVisit {
  const { 'internal-url': internalUrl } = flags
  if (typeof internalUrl === 'string') {
    const problem = internalUrlProblem(internalUrl)
    if (problem !== undefined) throw ConfigError.of(`--internal-url: ${problem}`)
  }
  const isOfClient = clientSecret !== undefined || redirectUri !== undefined
  const seconds = Number(timeout)
  if (!(seconds > 0 && seconds <= 60))
    throw ConfigError.of(
      `--timeout: ${JSON.stringify(timeout)} is not a number of seconds above 0, at most 60`,
    )
  return {
    issuer,
    clientId: clientId ?? (isOfClient ? BUILTIN_CLIENT.clientId : undefined),
    clientSecret,
    redirectUri,
    internalUrl: typeof internalUrl === 'string' ? internalUrl : undefined,
    ca: ca === undefined ? undefined : readCertificate(ca),
    timeoutMs: seconds * 1000,
    now: createClock().now,
  }
}

function readCertificate(file: string): string {
  const read = readTextFile(file)
  if (!read.ok) {
    const { code, reason, cause } = read
    throw ConfigError.of(
      `--ca: ${code === undefined ? `${file}: ${reason}` : `cannot use ${file} (${reason})`}`,
      {
        cause,
      },
    )
  }
  try {
    readLeaf(read.text)
    return read.text
  } catch (cause) {
    throw ConfigError.of(`--ca: cannot use ${file} (it is no PEM certificate)`, { cause })
  }
}

const COLORS = { ok: 'green', problem: 'red', skipped: 'dim' } as const

/**
 * Renders a line for each check, with the lines to change below a problem. Control characters are
 * escaped, because texts may come from any server.
 */
export function reportLines(diagnoses: readonly Diagnosis[]): string[] {
  const count = diagnoses.filter(({ status }) => status === 'problem').length
  const skipped = diagnoses.filter(({ status }) => status === 'skipped').map(({ check }) => check)
  const well =
    skipped.length === 0
      ? 'All is well.'
      : `What was checked is well; not checked: ${skipped.join(', ')}.`
  const last = count === 0 ? well : `${count} ${count === 1 ? 'problem' : 'problems'}.`
  return [...diagnoses.flatMap(linesOf), last]
}

function linesOf(diagnosis: Diagnosis): string[] {
  const { status, check, message } = diagnosis
  const head = `${paint(COLORS[status], status.padEnd(7))}  ${check.padEnd(12)}  `
  if (diagnosis.status !== 'problem') return [head + visible(message)]
  const fix = diagnosis.fix.map((line) => `${' '.repeat(11)}${visible(line)}`)
  return [`${head}${diagnosis.problem}: ${visible(message)}`, ...fix]
}
