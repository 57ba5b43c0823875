import { expect, test } from 'vitest'
import { renderTerminal } from '../../../../src/cli/coverage/reports/terminal.ts'
import { mergeCoverage } from '../../../../src/sandbox/coverage/merge-coverage.ts'
import { adultCounters, described, hits, minorCounters } from '../sample-coverage.ts'

const UNSEEN = { thresholds: {}, filters: {}, boundaries: {} }
const plain = { missed: [], colour: (_style: string, text: string) => text }

test('Gaps in the coverage of several claims stand below the claims that they are about', async () => {
  const { claims, ...others } = adultCounters()
  const other = { ...UNSEEN, claims: { age_thresholds: [13] } }
  const lines = renderTerminal(await described({ ...others, claims: [...claims, other] }), plain)
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
  const coverage = await described(mergeCoverage([adultCounters(), minorCounters()], '0.1.0'))
  const lines = renderTerminal(coverage, plain)
  expect(lines[0]).toMatch(/^answers +100 % +\[#{20}\] +4 of 4$/)
  expect(lines.filter((line) => line.startsWith('answers'))).toHaveLength(1)
})

test('Coverage of nothing that was delivered is said to be none', async () => {
  const lines = renderTerminal(await described({ ...adultCounters(), claims: [], asked: {}, endings: {} }), plain)
  expect(lines[0]).toMatch(/^answers +0 % +\[\.{20}\] +nothing was delivered$/)
})

test('What claims say cannot steer the terminal of a coverage report, and claims that are long are cut', async () => {
  const { claims, ...others } = adultCounters()
  const denied = ['/veratad/\u001b[2J', ...Array.from({ length: 50 }, (_, index) => `/veratad/${index}`)]
  const hostile = { ...UNSEEN, claims: { age_thresholds: [18], provenance: { denied } } }
  const lines = renderTerminal(await described({ ...others, claims: [...claims, hostile] }), plain)
  expect(lines.join('\n')).not.toContain('\u001b')
  expect(lines.find((line) => line.includes('provenance":{"denied'))?.length).toBeLessThan(120)
})

test('Coverage mentions the answers to claims beyond those that are counted', async () => {
  const coverage = await described({ ...adultCounters(), omitted: { claims: 7 }, asked: { use: hits(9) } })
  const note = 'Not counted: 7 answers to claims beyond the first hundred distinct ones'
  expect(renderTerminal(coverage, plain)).toContain(note)
})
