import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { renderSarif } from '../../../src/audit/report/sarif.ts'
import { OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { CHECKS } from '../../clients/examples.ts'
import { folderWith } from '../../support/folder-with.ts'
import {
  auditedRow,
  auditReport,
  HOSTILE,
  hostileTexts,
  MIXED,
  READINGS_FOUND,
} from './sample-report.ts'

const VERDICTS = ['let in', 'too strict', 'broke', 'stale'] as const
const ROWS = OUTCOMES.map(({ flow, name }) => `${flow}/${name}`)
const OPTIONS = { source: () => ({ file: 'src/verify.ts', line: 12 }) }

const everyRow = ROWS.map((row, index) =>
  auditedRow(row, { verdict: VERDICTS[index % 4] ?? 'let in' }),
)
const hostileRows = HOSTILE.map((text, index) =>
  auditedRow(ROWS[index] ?? '', { ...hostileTexts(text), harm: text, verdict: 'let in' }),
)
const mixed = renderSarif(MIXED, OPTIONS)

const SOUND = {
  'no findings': renderSarif(auditReport([auditedRow('use/id_token.expired')]), OPTIONS),
  'rows of each verdict': mixed,
  'no file of the app': renderSarif(MIXED),
  'a finding for each row of the catalogue': renderSarif(auditReport(everyRow), OPTIONS),
  'what an app depends on in readings': renderSarif(
    { ...MIXED, readings: READINGS_FOUND },
    OPTIONS,
  ),
  'hostile texts': renderSarif(auditReport(hostileRows, { notes: HOSTILE, exit_code: 2 }), OPTIONS),
}

const BROKEN = {
  'a rule that is not there': mixed.replace('"ruleIndex": 0', '"ruleIndex": 99'),
  'a line below 1': mixed.replace('"startLine": 12', '"startLine": -1'),
  'a place on the web': mixed.replace('src/verify.ts', 'http://localhost:3000/verify'),
  'half of its text': mixed.slice(0, mixed.length / 2),
  'no message': mixed.replace(/"text": "missing expiry \(.*"/, '"text": ""'),
  'no address of the tool': mixed.replace(/"informationUri": ".*",/, ''),
}

const findings = z.array(z.looseObject({ level: z.string().optional() })).optional()
const invocation = z.object({
  toolConfigurationNotifications: findings,
  toolExecutionNotifications: findings,
})
const outputSchema = z.object({
  runs: z.array(z.object({ results: findings, invocations: z.array(invocation) })),
})

/** The errors and warnings of the validator by file, without its notes on style. */
function validate(
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const files = Object.entries(texts).map(([name, text], index) => ({
    name,
    text,
    file: `${index}.sarif`,
  }))
  const folder = folderWith(
    Object.fromEntries(files.map(({ file, text }) => [file, text])),
    afterAll,
  )
  const output = join(folder, 'findings.json')
  const paths = files.map(({ file }) => join(folder, file))
  // Without notes the validator also hides errors of rules that have both.
  const flags = ['--output', output, '--rule-kind', 'Sarif;Ghas', '--level', 'Error;Warning;Note']
  // The validator works without ICU, which small images lack.
  const env = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' }
  const { stdout, error } = spawnSync(multitool(), ['validate', ...paths, ...flags], {
    encoding: 'utf8',
    env,
  })
  expect(error).toBeUndefined()
  expect(stdout).toContain(`${paths.length} files scanned`)
  const { runs } = outputSchema.parse(
    JSON.parse(readFileSync(output, 'utf8').replace(/^\ufeff/, '')),
  )
  const found = runs.flatMap(({ results = [], invocations }) => [
    ...results.filter(({ level }) => level !== 'note'),
    ...invocations.flatMap(
      ({ toolConfigurationNotifications = [] }) => toolConfigurationNotifications,
    ),
    ...invocations.flatMap(({ toolExecutionNotifications = [] }) => toolExecutionNotifications),
  ])
  const shown = found.map((finding) => JSON.stringify(finding))
  // A finding without a place belongs to no file, and fails the test of each.
  const isOf = (finding: string, file: string) =>
    finding.includes(`/${file}"`) || !/\/\d+\.sarif"/.test(finding)
  return Object.fromEntries(
    files.map(({ name, file }) => [name, shown.filter((finding) => isOf(finding, file))]),
  )
}

/** The program of the package for this system, made executable as its installation script would. */
function multitool(): string {
  const program = z.string().parse(createRequire(CHECKS)('@microsoft/sarif-multitool'))
  chmodSync(program, 0o755)
  return program
}

const found = validate({ ...SOUND, ...BROKEN })

test.each(Object.keys(SOUND))(
  "Microsoft's validator finds neither error nor warning in SARIF with %s",
  (name) => {
    expect(found[name]).toEqual([])
  },
)

test.each(Object.keys(BROKEN))("Microsoft's validator finds the fault in SARIF with %s", (name) => {
  expect(found[name]).not.toEqual([])
})
