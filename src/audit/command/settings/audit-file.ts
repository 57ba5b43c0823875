import { join } from 'node:path'
import { readTextIfThere } from '../../../sandbox/files/text-file.ts'
import { parseYamlDocument } from '../../../sandbox/files/yaml-document.ts'
import { requireKnownNames } from '../../trials/rows/select-rows.ts'
import { type AuditFileValues, auditFileSchema } from './settings.ts'

/** The name of the file with the settings of an audit, in the working folder. */
export const AUDIT_FILE = 'agekey-audit.yaml'

export interface AuditFile {
  readonly values: AuditFileValues
  /** The line of a top-level key; 1 if the key is missing. */
  lineOf(key: keyof AuditFileValues): number
}

/**
 * Reads the file in a folder; `undefined` if it does not exist.
 * @throws ConfigError with file and line of each problem
 */
export function readAuditFile(cwd = '.'): AuditFile | undefined {
  const text = readTextIfThere(join(cwd, AUDIT_FILE))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  // A file with only comments means the defaults.
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
 * Quotes paths with `{sub}`. Decision: users need not quote such a path in braces, as in `audit: {
 * get: /verifications?sub={sub} }`, where YAML would parse `{sub}` as a mapping. Line numbers stay.
 */
const withQuotedPaths = (text: string): string =>
  text.replaceAll(/(:[ \t]+)(\/[^\s'",{}]*\{sub\}[^\s'",{}]*)/g, "$1'$2'")
