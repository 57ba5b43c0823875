import { marked } from 'marked'
import { expect, test } from 'vitest'
import { mergeSeen } from '../../../../src/sandbox/coverage/seen-by-clients.ts'
import {
  renderCoverageMarkdown,
  renderTerminal,
} from '../../../../src/tools/cli/coverage/report.ts'
import { HOSTILE } from '../../../audit/report/sample-report.ts'
import { seenOf } from '../../../sandbox/coverage/seen.ts'
import { ADULT_SEEN, described, MINOR_SEEN } from './sample-coverage.ts'

const plain = { missed: [], colour: (_style: string, text: string) => text }

test('Gaps in the coverage of several claims stand below the claims that they are about', async () => {
  const claims = { ...ADULT_SEEN.claims, '5e6f7a8b': { age_thresholds: [13] } }
  const lines = renderTerminal(await described({ ...ADULT_SEEN, claims }), plain)
  const first = lines.indexOf('answers: 4 gaps')
  expect(lines.slice(first + 1, first + 7).map((line) => line.split('  run')[0])).toEqual([
    '  {"age_thresholds":[18,21]}',
    '  age_thresholds 18: false',
    '  age_thresholds 21: false',
    '  {"age_thresholds":[13]}',
    '  age_thresholds 13: true ',
    '  age_thresholds 13: false',
  ])
})

test('Dimensions of coverage without a gap have their line in the table alone', async () => {
  const lines = renderTerminal(await described(mergeSeen([ADULT_SEEN, MINOR_SEEN])), plain)
  expect(lines[0]).toMatch(/^answers +100 % +\[#{20}\] +4 of 4$/)
  expect(lines.filter((line) => line.startsWith('answers'))).toHaveLength(1)
})

test('Coverage of nothing that was delivered is said to be none', async () => {
  const lines = renderTerminal(await described(seenOf()), plain)
  expect(lines[0]).toMatch(/^answers +0 % +\[\.{20}\] +nothing was delivered$/)
})

test('What claims say cannot steer the terminal of a coverage report, and claims that are long are cut', async () => {
  const denied = [
    '/veratad/\u001b[2J',
    ...Array.from({ length: 50 }, (_, index) => `/veratad/${index}`),
  ]
  const hostile = { age_thresholds: [18], provenance: { denied } }
  const claims = { ...ADULT_SEEN.claims, '5e6f7a8b': hostile }
  const lines = renderTerminal(await described({ ...ADULT_SEEN, claims }), plain)
  expect(lines.join('\n')).not.toContain('\u001b')
  expect(lines.find((line) => line.includes('provenance":{"denied'))?.length).toBeLessThan(120)
})

test('The coverage report says that something was not counted', async () => {
  const coverage = await described({ ...ADULT_SEEN, omitted: true })
  const note = 'Not counted: what came after the limit of distinct claims or of names was reached'
  expect(renderTerminal(coverage, plain)).toContain(note)
})

const NO_MINIMUMS = { from: 'a.json', minimums: [], missed: [], notes: [] }

test('Markdown of coverage has a line for each dimension, the gaps, and what was seen', async () => {
  const text = renderCoverageMarkdown(await described(ADULT_SEEN), NO_MINIMUMS)
  expect(text).toMatch(
    /^## Coverage of answers: \d+ gaps\n\n\| Dimension \| Percent \| Minimum \| Seen \|\n/,
  )
  expect(text).toContain('| answers | 50 |  | 2 of 4 |\n')
  const gaps =
    '### answers: 2 gaps\n\nFor `{"age_thresholds":[18,21]}`:\n\n- `age_thresholds 18: false`: run a Use flow as'
  expect(text).toContain(gaps)
  expect(text).toContain('- `age_thresholds 18: true`\n')
  expect(text).toContain(
    '### Not used by the app\n\n- `create`: no valid Create request came (E3)\n',
  )
  expect(text).toMatch(
    /### must: \d+ gaps\n\n<details>\n<summary>What closes each<\/summary>\n\n- `use\//,
  )
})

test('Markdown of coverage says in its heading that a minimum is missed, and which', async () => {
  const missed = [{ dimension: 'answers', percent: 100 }] as const
  const text = renderCoverageMarkdown(await described(ADULT_SEEN), {
    ...NO_MINIMUMS,
    minimums: missed,
    missed,
  })
  expect(text).toMatch(/^## Coverage of answers: below a minimum\n/)
  expect(text).toContain('| answers | 50 | 100 | 2 of 4 |\n')
  expect(text).toContain(
    '- answers is below its minimum\\: it has 50 % (2 of 4) and needs 100 %; missing are',
  )
})

test('Names of files are no markup in Markdown of coverage', async () => {
  for (const text of HOSTILE) {
    const coverage = await described(ADULT_SEEN)
    const report = renderCoverageMarkdown(coverage, { ...NO_MINIMUMS, from: text, notes: [text] })
    expect(await marked(report)).not.toMatch(/<(?:script|img|a)\b/)
  }
})

test('Markdown of coverage ends where the summary of a step has no more room', async () => {
  const text = renderCoverageMarkdown(await described(ADULT_SEEN), {
    ...NO_MINIMUMS,
    maxBytes: 2000,
  })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000)
  expect(text).toMatch(/The report ends here: .*\n$/)
})
