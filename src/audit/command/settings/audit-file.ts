import { join } from 'node:path'
import { readTextIfThere } from '../../../sandbox/files/text-file.ts'
import { parseYamlDocument } from '../../../sandbox/files/yaml-document.ts'
import { requireKnownNames } from '../../trials/rows/select-rows.ts'
import { type AuditFileValues, auditFileSchema } from './settings.ts'

/** Read from the working folder, if it exists. */
export const AUDIT_FILE = 'agekey-audit.yaml'

export interface AuditFile {
  readonly values: AuditFileValues
  /** The line of a key at the top of the file; 1 when the key is missing. */
  lineOf(key: keyof AuditFileValues): number
}

/**
 * Reads the file in a folder; `undefined` when it does not exist.
 * @throws ConfigError with file and line of each problem
 */
export function readAuditFile(cwd = '.'): AuditFile | undefined {
  const text = readTextIfThere(join(cwd, AUDIT_FILE))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  // A file in which every line is a comment means the defaults.
  const document = lines.every((line) => /^\s*(#|$)/.test(line)) ? '{}' : withQuotedPaths(text)
  const values = parseYamlDocument(document, {
    file: AUDIT_FILE,
    schema: auditFileSchema.check(requireKnownNames),
  })
  return {
    values,
    lineOf: (key) => lines.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1,
  }
}

/**
 * Decision: a path with `{sub}` needs no quotes within braces, as in `audit: { get:
 * /verifications?sub={sub} }`. YAML would parse the placeholder as a mapping. No line moves.
 */
const withQuotedPaths = (text: string): string =>
  text.replaceAll(/(:[ \t]+)(\/[^\s'",{}]*\{sub\}[^\s'",{}]*)/g, "$1'$2'")
