import { existsSync } from 'node:fs'
import { stringify } from 'yaml'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { replaceFile } from '../../../sandbox/files/private-file.ts'
import { CATALOGUE_VERSION } from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditReport } from '../../report/audit-report.ts'
import { AUDIT_FILE } from './audit-file.ts'
import { type AuditSettings, auditFileSchema } from './settings.ts'

/** What an audit learned about an app, and the settings from flags. */
export type LearnedSettings = Pick<AuditReport, 'app' | 'learned'> & {
  readonly given: AuditSettings
}

/** @throws ConfigError when the file exists, because it is never overwritten */
export function requireNoAuditFile(): void {
  if (existsSync(AUDIT_FILE))
    throw ConfigError.of(`${AUDIT_FILE}: is there already and stays as it is; move it away first`)
}

/**
 * Writes the file into the working folder.
 * @throws ConfigError when it exists, or cannot be written
 */
export async function writeAuditFile(learned: LearnedSettings): Promise<void> {
  requireNoAuditFile()
  try {
    await replaceFile(AUDIT_FILE, renderAuditFile(learned), { mode: 0o644 })
  } catch (cause) {
    throw ConfigError.of(`${AUDIT_FILE}: cannot be written (${messageOf(cause)})`, { cause })
  }
}

const HEADER = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/audit.schema.json
# Settings of agekey-sandbox audit. Flags go before this file. Lines that are commented out are examples.
`

/** Renders the file. It explains each setting, and has an example for settings without a value. */
export function renderAuditFile({ app, learned, given }: LearnedSettings): string {
  const values: Readonly<Record<string, unknown>> = {
    catalogue: CATALOGUE_VERSION,
    fail_on: 'must',
    ...given,
    app,
  }
  const seen = new Map(Object.entries(learned))
  const settings = Object.entries(auditFileSchema.shape).map(([key, schema]) => {
    const { description = '', examples } = schema.unwrap().meta() ?? {}
    const { yes, no = [] } = seen.get(key) ?? {}
    const comments = [
      description,
      ...(yes === undefined ? [] : [`yes: ${yes}`]),
      ...no.map((one) => `no: ${one}`),
    ]
    const lines = comments.map((text) => `# ${text.replaceAll(/\p{Cc}/gu, ' ')}\n`)
    return `\n${lines.join('')}${renderSetting(key, values[key], Array.isArray(examples) ? examples[0] : undefined)}`
  })
  return HEADER + settings.join('')
}

function renderSetting(key: string, value: unknown, example: unknown): string {
  if (value === undefined) return commented(toYaml(key, example))
  const missing =
    isObject(value) && isObject(example)
      ? Object.entries(example).filter(([name]) => !(name in value))
      : []
  const [, ...rest] = toYaml(key, Object.fromEntries(missing)).split(/(?<=\n)/)
  return toYaml(key, value) + commented(rest.join(''))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const toYaml = (key: string, value: unknown) => stringify({ [key]: value }, { lineWidth: 0 })
const commented = (lines: string) => lines.replaceAll(/^(?=.)/gm, '# ')
