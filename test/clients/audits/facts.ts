import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type AuditReport, REASONS } from '../../../src/audit/report/audit-report.ts'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../../src/sandbox/outcomes/outcome.ts'
import { ROOT } from '../../docs/page.ts'
import { CHECKS } from '../examples.ts'

const FOLDER = fileURLToPath(new URL('./facts/', import.meta.url))
const rows = z.array(z.string()).readonly()

/** What an audit has found out about a client library. */
const factsSchema = z
  .strictObject({
    library: z.string(),
    version: z.string(),
    /** What of the library the app calls, and by which settings. */
    uses: z.string(),
    /** The app, below apps/; absent when it consists of those lines. */
    app: z.string().optional(),
    /** The day of the last update of these facts. */
    measured: z.iso.date(),
    /** Version of the catalogue. */
    catalogue: z.string(),
    response_mode: z.string(),
    scope: z.string(),
    /** Patterns of rows that were not tried, each with the reason. */
    left_out: z.record(z.string(), z.string()).readonly(),
    /** What is to be known beside the rows: a sentence. */
    note: z.string().optional(),
    /** How many rows, by flow and family. */
    refused: z.record(z.string(), z.int()).readonly(),
    let_in: rows,
    broke: rows,
    /** How many rows. */
    accepted: z.int(),
    too_strict: rows,
    /** How many rows that a correct app may take or refuse. */
    observed: z.int(),
    undetermined: z.record(z.string(), z.enum(REASONS)).readonly(),
    /** Rows of Use that are to be refused and do not apply to such an app, each with the reason. */
    not_for_it: z.record(z.string(), z.string()).readonly(),
  })
  .readonly()
export type Facts = z.infer<typeof factsSchema>

/** What is known of a library before the audit. */
export type Subject = Pick<Facts, 'library' | 'version' | 'uses' | 'app' | 'left_out' | 'note'>

export const factsFile = (name: string): string => `${FOLDER}${name}.json`

export const readFacts = (name: string): Facts =>
  factsSchema.parse(JSON.parse(readFileSync(factsFile(name), 'utf8')))

/** The facts about each library that was audited, by the name of its file. */
export const readAllFacts = (): readonly Facts[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => readFacts(file.replace('.json', '')))

/**
 * What a report says, as facts: nothing of rows that are not for the app, and nothing of layer
 * `service`.
 */
export function factsOf(
  report: AuditReport,
  {
    subject,
    request,
    measured,
  }: { subject: Subject; request: Readonly<Record<string, unknown>>; measured: string },
): Facts {
  const rows = report.rows.filter(({ row }) => findRow(row)?.layer === 'oidc')
  const having = (verdict: string) => rows.filter((row) => row.verdict === verdict)
  const named = (verdict: string) => Object.keys(reasonsOf(having(verdict))).toSorted()
  const { response_mode, scope } = request
  // The schema says in which order they stand in the file.
  return factsSchema.parse({
    ...{ ...subject, measured, catalogue: report.catalogue, response_mode, scope },
    refused: countFamilies(named('refused')),
    let_in: named('let in'),
    broke: named('broke'),
    accepted: having('accepted').length,
    too_strict: named('too strict'),
    observed: having('observed').length,
    undetermined: reasonsOf(having('undetermined')),
    not_for_it: reasonsOf(having('not for this app').filter(isOfUse)),
  })
}

const reasonsOf = (rows: AuditReport['rows']) =>
  Object.fromEntries(rows.map(({ row, reason }) => [row, reason]))

function countFamilies(ids: readonly string[]): Facts['refused'] {
  const families = ids
    .map((id) => findRow(id))
    .filter((row) => row !== undefined)
    .map(familyId)
    .toSorted()
  return Object.fromEntries(
    families.map((one) => [one, families.filter((other) => other === one).length]),
  )
}

export const familyId = ({ flow, family }: Outcome): string => `${flow}/${family}`

/** Of a flow that the app does not have at all nothing is listed. */
function isOfUse({ row, flow }: AuditReport['rows'][number]): boolean {
  const found = findRow(row)
  return flow === 'use' && found?.correctClient === 'refuse' && found.ending?.kind !== 'no_answer'
}

/** The version of a package as it is installed. */
export function installedVersion(name: string): string {
  const paths = [ROOT, fileURLToPath(CHECKS)]
  const main = createRequire(import.meta.url).resolve(name, { paths })
  const folder = main.slice(0, main.lastIndexOf(`/node_modules/${name}/`))
  const text = readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
