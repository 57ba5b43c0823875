import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { codeOf, messageOf } from '../../../files/caught.ts'
import { ConfigError } from '../../../files/config-error.ts'
import type { AuditReport } from '../../../sandbox/outcomes/audit-report.ts'
import { CATALOGUE_VERSION } from '../../../sandbox/outcomes/catalogue.ts'
import { AUDIT_FILE } from './read-audit-file.ts'

/** What an audit learned of an app. */
export interface LearnedApp extends Pick<AuditReport, 'app' | 'learned'> {
  /** The command that was given. */
  readonly start?: string | undefined
  /** The rule that was given. */
  readonly accepted: string | undefined
}

/** @throws ConfigError when the file is there: it is never overwritten */
export function requireNoAuditFile(): void {
  if (existsSync(AUDIT_FILE)) throw isThere()
}

/** Writes the file into the working folder. @throws ConfigError when it is there, or cannot be written */
export function writeAuditFile(learned: LearnedApp): void {
  try {
    writeFileSync(AUDIT_FILE, renderAuditFile(learned), { flag: 'wx' })
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw isThere()
    // A full disk leaves the beginning of it.
    rmSync(AUDIT_FILE, { force: true })
    throw ConfigError.of(`${AUDIT_FILE}: cannot be written (${messageOf(cause)})`, { cause })
  }
}

const isThere = () => ConfigError.of(`${AUDIT_FILE}: is there already and stays as it is; move it away first`)

const HEADER = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/audit.schema.json
# Settings of agekey-sandbox audit. Flags go before this file. Lines that are commented out are examples.
`

/** The file, with what was learned and an example of each setting. */
export function renderAuditFile({ app, start, learned, accepted }: LearnedApp): string {
  const flows = (['use', 'create', 'upgrade'] as const).map((flow) => {
    const seen = learned[flow]
    const about = seen && [`yes: ${seen.yes}`, ...seen.no.map((no) => `no: ${no}`)]
    return renderFlow(flow, { about, accepted: flow === 'use' ? accepted : undefined })
  })
  return `${HEADER}
# The page where a user begins to prove an age.
${yaml({ app })}
# The audit starts the app itself, and stops it in the end. With {port} in app and {base_url} here it starts copies, each on a free
# port and a tenant of its own: then rows run side by side, also those of jwks and discovery.
# A text is run by the shell, a list is a program and its arguments.
${start === undefined ? '# start:\n#   run: npm start\n' : yaml({ start: { run: start } })}#   ready: http://localhost:3000/    # or a line of its log: /listening on/
#   env: { AGE_BASE_URL: '{base_url}', PORT: '{port}' }

# Requests of each fresh browser before it begins; {n} makes a new user of each.
# before:
#   - post: /login
#     form: { email: 'user-{n}@example.test' }
# Or one that makes the app forget its users.
# reset: { post: /test/reset }
${flows.join('')}
# How the app is asked whether it knows a verification, for agekey-sandbox drill: {sub} is its sub, {env:NAME} a variable.
# audit:
#   get: /admin/verifications?sub={sub}
#   headers: { Authorization: 'Bearer {env:ADMIN_TOKEN}' }

# Rows that were added after this version run and do not count.
catalogue: '${CATALOGUE_VERSION}'
# Findings count from this level on: must, should, may or none.
fail_on: must

# Findings that are accepted for now. An entry whose row is refused is stale, and fails.
# known:
#   - row: use/id_token.kid_empty
#     because: the library of this app takes an empty kid for none
#     until: 2027-01-31
`
}

function renderFlow(
  flow: 'use' | 'create' | 'upgrade',
  { about = [], accepted }: { about: readonly string[] | undefined; accepted: string | undefined },
): string {
  const seen = about.map((line) => `# ${line.replaceAll(/\p{Cc}/gu, ' ')}\n`).join('')
  const example = [
    ...(flow === 'use' ? [] : [`#   start: ${flow === 'create' ? '/create' : '{ post: /upgrade }'}`]),
    ...(accepted === undefined ? ['#   accepted: get=/me status=200'] : []),
    '#   refused: text=Not yet',
    ...(flow === 'use' ? ['#   fragment: { post: /age/answer, as: form }'] : []),
    '#   source: src/verify.ts:12',
  ]
  const given = accepted === undefined ? `# ${flow}:\n` : yaml({ [flow]: { accepted } })
  return `\n${seen}${given}${example.join('\n')}\n`
}

const yaml = (value: object) => stringify(value, { lineWidth: 0 })
