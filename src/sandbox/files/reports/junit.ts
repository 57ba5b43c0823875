/** One test of a report. */
export interface JUnitCase {
  readonly name: string
  readonly classname: string
  readonly seconds: number
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Why the test failed or was skipped, in one line. */
  readonly detail?: string | undefined
  /** The detail in several lines; `detail` when absent. */
  readonly lines?: readonly string[]
}

export interface JUnitSuite {
  readonly name: string
  /** The file that the suite comes from. */
  readonly file?: string
  readonly cases: readonly JUnitCase[]
}

/** Writes JUnit XML, which every CI system reads. Times are in seconds. */
export function renderJUnit(suites: readonly JUnitSuite[]): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="agekey-sandbox"${totals(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(({ name, file, cases }) => [
      `  <testsuite${attribute('name', name)}${attribute('file', file)}${totals(cases)}>`,
      ...cases.flatMap(testcase),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function testcase({ name, classname, seconds, status, detail, lines }: JUnitCase): string[] {
  const attributes = `${attribute('name', name)}${attribute('classname', classname)} time="${seconds.toFixed(3)}"`
  const start = `    <testcase${attributes}`
  switch (status) {
    case 'passed':
      return [`${start}/>`]
    case 'skipped':
      return [`${start}>`, `      <skipped${attribute('message', detail)}/>`, '    </testcase>']
    case 'failed': {
      const text = (lines ?? [detail ?? '']).map(escapeXml).join('\n')
      return [
        `${start}>`,
        `      <failure${attribute('message', detail ?? '')}>${text}</failure>`,
        '    </testcase>',
      ]
    }
  }
}

const attribute = (name: string, value: string | undefined) =>
  value === undefined ? '' : ` ${name}="${escapeXml(value)}"`

function totals(cases: readonly JUnitCase[]): string {
  const count = (status: JUnitCase['status']) => cases.filter((one) => one.status === status).length
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0)
  const [failures, skipped] = [count('failed'), count('skipped')]
  return ` tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`
}

/**
 * Characters that XML 1.0 cannot contain, not even escaped: most control characters, lone
 * surrogates, U+FFFE and U+FFFF.
 */
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
