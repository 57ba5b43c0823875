import { marked } from 'marked'
import { expect, test } from 'vitest'
import { renderCoverageMarkdown } from '../../../../src/cli/coverage/reports/markdown.ts'
import { HOSTILE } from '../../audit/reports/sample-report.ts'
import { adultCounters, described } from '../sample-coverage.ts'

const nothing = { from: 'a.json', minimums: [], missed: [], notes: [] }

test('Markdown of coverage has a line for each dimension, the gaps, and the tests that saw the rest', async () => {
  const text = renderCoverageMarkdown(await described(adultCounters('a shop > lets an adult in')), nothing)
  expect(text).toMatch(/^## Coverage of answers: \d+ gaps\n\n\| Dimension \| Percent \| Minimum \| Seen \|\n/)
  expect(text).toContain('| answers | 50 |  | 2 of 4 |\n')
  const gaps =
    '### answers: 2 gaps\n\nFor `{"age_thresholds":[18,21]}`:\n\n- `age_thresholds 18: false`: run a Use flow as'
  expect(text).toContain(gaps)
  expect(text).toContain('- `age_thresholds 18: true`, 2 times: a shop \\> lets an adult in\n')
  expect(text).toContain('### Not used by the app\n\n- `create`: no Create request was pushed (E2)\n')
  expect(text).toMatch(/### must: \d+ gaps\n\n<details>\n<summary>What closes each<\/summary>\n\n- `use\//)
})

test('Markdown of coverage says in its heading that a minimum is missed, and which', async () => {
  const missed = [{ dimension: 'answers', percent: 100 }] as const
  const text = renderCoverageMarkdown(await described(adultCounters()), { ...nothing, minimums: missed, missed })
  expect(text).toMatch(/^## Coverage of answers: below a minimum\n/)
  expect(text).toContain('| answers | 50 | 100 | 2 of 4 |\n')
  expect(text).toContain('- answers is below its minimum\\: it has 50 % (2 of 4) and needs 100 %; missing are')
})

test('Names of tests and of files are no markup in Markdown of coverage', async () => {
  for (const text of HOSTILE) {
    const coverage = await described(adultCounters(text))
    const report = renderCoverageMarkdown(coverage, { ...nothing, from: text, notes: [text] })
    expect(await marked(report)).not.toMatch(/<(?:script|img|a)\b/)
  }
})

test('Markdown of coverage ends where the summary of a step has no more room', async () => {
  const coverage = await described(adultCounters())
  const text = renderCoverageMarkdown(coverage, { ...nothing, maxBytes: 2000 })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000)
  expect(text).toMatch(/The report ends here: .*\n$/)
})
