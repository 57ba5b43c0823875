import { expect, test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../../src/sandbox/outcomes/describe-outcome.ts'
import { run } from '../in-process.ts'

test('outcomes lists all outcomes by flow, with what a correct client does', async () => {
  const { code, stdout } = await run(['outcomes'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^use\n {2}verified {2,}accept {2,}must {2,}\S/m)])
  expect(stdout).toMatch(/^ {2}id_token\.expired {2,}refuse {2,}must {2,}\S/m)
  expect(stdout).toMatch(/^create$/m)
})

test.each<[args: string, finds: (row: (typeof OUTCOMES)[number]) => boolean]>([
  ['', () => true],
  ['EXPIRED', ({ name, summary }) => /expired/i.test(`${name} ${summary}`)],
  ['id_token.exp_*', ({ name }) => name.startsWith('id_token.exp_')],
  ['token/*', ({ flow }) => flow === 'token'],
  ['par.40?', ({ name }) => ['par.400', 'par.401'].includes(name)],
  ['--flow jwks', ({ flow }) => flow === 'jwks'],
  ['key --flow jwks', ({ flow, name, summary }) => flow === 'jwks' && /key/i.test(`${name} ${summary}`)],
])('outcomes --json %s prints the rows of the catalogue that it names', async (args, finds) => {
  const { code, stdout, stderr } = await run(['outcomes', '--json', ...args.split(' ').filter(Boolean)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const rows = OUTCOMES.filter(finds)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.parse(stdout)).toEqual({ catalogue: CATALOGUE_VERSION, outcomes: rows.map(describeOutcome) })
})

test.each([
  ['expird', /^error: no outcome has "expird" in its name or summary\. Did you mean .*"id_token\.expired"/],
  ['xyzzy*', /^error: no outcome has "xyzzy\*" in its name or summary\. agekey-sandbox outcomes lists all of them\.$/m],
  ['verified --flow jwks', /^error: no outcome of jwks has "verified" in its name or summary\./],
  ['--flow tokens', /^error: --flow: there is no flow "tokens"\. Did you mean "token"\?$/m],
])('outcomes %s finds nothing, and ends with near misses in one line and exit code 1', async (args, line) => {
  const result = await run(['outcomes', ...args.split(' ')])
  expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
})

test('outcomes show explains an outcome with every way to force it, also as JSON', async () => {
  const { code, stdout } = await run(['outcomes', 'show', 'id_token.expired'])
  expect(code).toBe(0)
  const header = 'X-Sandbox-Outcome: id_token.expired'
  for (const way of ['sandbox_outcome=id_token.expired', header, 'sandbox.next(', 'curl '])
    expect(stdout).toContain(way)
  const json = await run(['outcomes', 'show', 'id_token.expired', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'outcome', name: 'use/id_token.expired', force: { header } })
})
