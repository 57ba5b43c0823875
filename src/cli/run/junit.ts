import type { StepResult } from './run-scenario.ts'

/** A scenario that was run, or was not reached. */
export interface ScenarioRun {
  readonly name: string
  readonly file: string
  readonly steps: readonly StepResult[]
}

/** JUnit XML: a testsuite for each scenario, a testcase for each step. Times are in seconds. */
export function renderJUnit(runs: readonly ScenarioRun[]): string {
  const all = runs.flatMap(({ steps }) => steps)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="agekey-sandbox"${totals(all)}>`,
    ...runs.flatMap((run) => [
      `  <testsuite name="${escapeXml(run.name)}" file="${escapeXml(run.file)}"${totals(run.steps)}>`,
      ...run.steps.flatMap((step) => testcase(step, run.name)),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function testcase({ index, kind, summary, status, seconds, detail = '' }: StepResult, suite: string): string[] {
  const name = escapeXml(`${index + 1} ${kind} ${summary}`)
  const start = `    <testcase name="${name}" classname="${escapeXml(suite)}" time="${seconds.toFixed(3)}"`
  switch (status) {
    case 'passed':
      return [`${start}/>`]
    case 'skipped':
      return [`${start}>`, '      <skipped/>', '    </testcase>']
    case 'failed':
      return [
        `${start}>`,
        `      <failure message="${escapeXml(detail)}">${escapeXml(detail)}</failure>`,
        '    </testcase>',
      ]
  }
}

function totals(steps: readonly StepResult[]): string {
  const count = (status: StepResult['status']) => steps.filter((step) => step.status === status).length
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0)
  const [failures, skipped] = [count('failed'), count('skipped')]
  return ` tests="${steps.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`
}

/** What XML 1.0 cannot hold at all, escaped or not: most control characters, halves of surrogate pairs, two others. */
const NOT_XML = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const escapeXml = (text: string) =>
  text
    .replace(/[\t\n\r]/g, ' ')
    .replace(NOT_XML, '')
    .replace(/[&<>"']/g, (character) => REFERENCES[character] ?? '')
