import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { renderSarif } from '../../../../src/cli/audit/reports/sarif.ts'
import { OUTCOMES } from '../../../../src/sandbox/outcomes/catalogue.ts'
import { auditedRow, auditReport, HOSTILE, MIXED, READINGS_FOUND } from './sample-report.ts'

const VERDICTS = ['let in', 'too strict', 'broke', 'stale'] as const
const ROWS = OUTCOMES.map(({ flow, name }) => `${flow}/${name}`)
const OPTIONS = { version: '0.1.0', source: () => ({ file: 'src/verify.ts', line: 12 }) }

const everyRow = ROWS.map((row, index) => auditedRow(row, { verdict: VERDICTS[index % 4] ?? 'let in' }))
const hostileRows = HOSTILE.map((text, index) =>
  auditedRow(ROWS[index] ?? '', {
    ...{ summary: text, rule: text, harm: text, evidence: text, refs: [text], flows: [text] },
    verdict: 'let in',
  }),
)
const mixed = renderSarif(MIXED, OPTIONS)

const SOUND = {
  'no findings': renderSarif(auditReport([auditedRow('use/id_token.expired')]), OPTIONS),
  'rows of each verdict': mixed,
  'no file of the app': renderSarif(MIXED, { version: '0.1.0' }),
  'a repository': renderSarif(MIXED, { ...OPTIONS, repository: 'https://github.com/owner/name' }),
  'a finding for each row of the catalogue': renderSarif(auditReport(everyRow), OPTIONS),
  'what an app depends on in readings': renderSarif({ ...MIXED, readings: READINGS_FOUND }, OPTIONS),
  'hostile texts': renderSarif(auditReport(hostileRows, { notes: HOSTILE, exit_code: 2 }), OPTIONS),
}

const BROKEN = {
  'a rule that is not there': mixed.replace('"ruleIndex": 0', '"ruleIndex": 99'),
  'a line below 1': mixed.replace('"startLine": 12', '"startLine": -1'),
  'a place on the web': mixed.replace('src/verify.ts', 'http://localhost:3000/verify'),
  'half of its text': mixed.slice(0, mixed.length / 2),
  'no message': mixed.replace(/"text": "use\/id_token.expired is let in.*"/, '"text": ""'),
  'no address of the tool': mixed.replace(/"informationUri": ".*",/, ''),
}

/** What Microsoft's validator finds wrong, by the name of the file: errors and warnings, without its notes on style. */
let findings: ReadonlyMap<string, readonly string[]> = new Map()
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-sarif-'))
  const files = Object.entries({ ...SOUND, ...BROKEN })
  for (const [name, text] of files) writeFileSync(join(folder, `${name}.sarif`), text)
  findings = validate(files.map(([name]) => name))
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

function validate(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const output = join(folder, 'findings.json')
  const files = names.map((name) => join(folder, `${name}.sarif`))
  // Without its notes it also leaves out errors of rules that have both.
  const flags = ['--output', output, '--rule-kind', 'Sarif;Ghas', '--level', 'Error;Warning;Note']
  const { stdout, error } = spawnSync(multitool(), ['validate', ...files, ...flags], {
    encoding: 'utf8',
    // It needs no ICU, which small images do not have.
    env: { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' },
  })
  expect(error).toBeUndefined()
  expect(stdout).toContain(`${names.length} files scanned`)
  const { runs } = outputSchema.parse(JSON.parse(readFileSync(output, 'utf8').replace(/^\ufeff/, '')))
  const found = runs.flatMap(({ results = [], invocations }) => [
    ...results.filter(({ level }) => level !== 'note'),
    ...invocations.flatMap((each) => each.toolConfigurationNotifications ?? []),
    ...invocations.flatMap((each) => each.toolExecutionNotifications ?? []),
  ])
  const places = found.map((finding) => {
    const uri = finding.locations?.[0]?.physicalLocation.artifactLocation.uri ?? ''
    return { name: basename(decodeURIComponent(uri), '.sarif'), finding: JSON.stringify(finding) }
  })
  // A finding without a place belongs to no file, and fails the test of each.
  return new Map(
    names.map((name) => [
      name,
      places.filter((place) => place.name === name || place.name === '').map(({ finding }) => finding),
    ]),
  )
}

const findingSchema = z.looseObject({
  level: z.string().optional(),
  locations: z
    .array(z.object({ physicalLocation: z.object({ artifactLocation: z.object({ uri: z.string().optional() }) }) }))
    .optional(),
})
const outputSchema = z.object({
  runs: z.array(
    z.object({
      results: z.array(findingSchema).optional(),
      invocations: z.array(
        z.object({
          toolConfigurationNotifications: z.array(findingSchema).optional(),
          toolExecutionNotifications: z.array(findingSchema).optional(),
        }),
      ),
    }),
  ),
})

/** The program of the package for this system. Its script of installation makes it one, when scripts may run. */
function multitool(): string {
  const require = createRequire(import.meta.url)
  const program = z.string().parse(require('@microsoft/sarif-multitool'))
  chmodSync(program, 0o755)
  return program
}

describe("Microsoft's validator of SARIF", () => {
  test.each(Object.keys(SOUND))('finds neither an error nor a warning in a report with %s', (name) => {
    expect(findings.get(name)).toEqual([])
  })

  test.each(Object.keys(BROKEN))('finds the fault in a report with %s', (name) => {
    expect(findings.get(name)).not.toEqual([])
  })
})
