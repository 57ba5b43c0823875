import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../files/caught.ts'
import { ConfigError } from '../../../files/config-error.ts'
import { parseYamlDocument } from '../../../files/yaml-document.ts'
import { type AuditFileValues, auditFileSchema } from './file-schema.ts'

/** Read from the working folder when it is there. */
export const AUDIT_FILE = 'agekey-audit.yaml'

/** What the file says, and where. */
export interface AuditFile {
  readonly values: AuditFileValues
  /** The line of a key at the top of the file; 1 without it. */
  lineOf(key: keyof AuditFileValues): number
}

/**
 * Reads `agekey-audit.yaml` in the working folder, or in another one.
 * @returns `undefined` when there is none
 * @throws ConfigError with file and line of each problem
 */
export function readAuditFile({ cwd = '.' }: { cwd?: string } = {}): AuditFile | undefined {
  const path = join(cwd, AUDIT_FILE)
  if (!existsSync(path)) return undefined
  const text = readText(path)
  // A file with every line commented out asks for the defaults.
  const isEmpty = text.split('\n').every((line) => /^\s*(#|$)/.test(line))
  const values = isEmpty ? {} : parseValues(text)
  const lineOf = (key: string) => text.split('\n').findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1
  return { values, lineOf }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw ConfigError.inFiles([{ file: AUDIT_FILE, message: `cannot be read (${messageOf(cause)})` }], { cause })
  }
}

function parseValues(text: string): AuditFileValues {
  try {
    return parseYamlDocument(withQuotedPaths(text), { file: AUDIT_FILE, schema: auditFileSchema })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // The line says which entry it is, and the message which row.
    const problems = error.problems.map(({ message, ...place }) => ({
      ...place,
      message: message.replace(/^known\[\d+\]\.row: (?=there is no row)/, 'known: '),
    }))
    throw ConfigError.inFiles(problems, { cause: error })
  }
}

/**
 * Decision: a path with `{sub}` needs no quotes within braces, as in `audit: { get: /verifications?sub={sub} }`, where YAML would
 * take the placeholder for a mapping. No line moves.
 */
const withQuotedPaths = (text: string): string =>
  text.replaceAll(/(?<=:[ \t]+)\/[^\s'",{}]*\{sub\}[^\s'",{}]*/g, (path) => `'${path}'`)
