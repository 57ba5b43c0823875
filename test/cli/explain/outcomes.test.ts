import { describe, expect, test } from 'vitest'
import { CATALOGUE_VERSION, OUTCOMES } from '../../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../../src/sandbox/outcomes/describe-outcome.ts'
import { buildCli } from '../built-cli.ts'

const { run } = await buildCli()

const namesIn = async (args: readonly string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await run(['outcomes', '--json', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).outcomes.map(({ flow, name }: { flow: string; name: string }) => `${flow}/${name}`)
}

const expected = (fits: (row: (typeof OUTCOMES)[number]) => boolean) =>
  OUTCOMES.filter(fits).map(({ flow, name }) => `${flow}/${name}`)

describe('outcomes', () => {
  test('prints the whole catalogue as JSON, without a pattern', async () => {
    const { stdout } = await run(['outcomes', '--json'])
    expect(JSON.parse(stdout)).toEqual({ catalogue: CATALOGUE_VERSION, outcomes: OUTCOMES.map(describeOutcome) })
  })

  test('finds a word in names and summaries, in whatever case', async () => {
    const found = await namesIn(['EXPIRED'])
    expect(found).toEqual(expected(({ name, summary }) => /expired/i.test(`${name} ${summary}`)))
    expect(found.length).toBeGreaterThan(3)
  })

  test('takes * and ? in a pattern for the whole name, with or without its flow', async () => {
    expect(await namesIn(['id_token.exp_*'])).toEqual(expected(({ name }) => name.startsWith('id_token.exp_')))
    expect(await namesIn(['token/*'])).toEqual(expected(({ flow }) => flow === 'token'))
    expect(await namesIn(['par.40?'])).toEqual(['par/par.400', 'par/par.401'])
  })

  test('lists one flow by --flow, together with a pattern', async () => {
    expect(await namesIn(['--flow', 'jwks'])).toEqual(expected(({ flow }) => flow === 'jwks'))
    expect(await namesIn(['access_denied', '--flow', 'create'])).toContain('create/access_denied')
    expect(await namesIn(['access_denied', '--flow', 'create'])).not.toContain('use/access_denied')
  })

  test.each([
    [['expird'], /^error: no outcome has "expird" in its name or summary\. Did you mean .*"id_token\.expired"/],
    [
      ['xyzzy*'],
      /^error: no outcome has "xyzzy\*" in its name or summary\. agekey-sandbox outcomes lists all of them\.$/m,
    ],
    [['verified', '--flow', 'jwks'], /^error: no outcome of jwks has "verified" in its name or summary\./],
    [['--flow', 'tokens'], /^error: --flow: there is no flow "tokens"\. Did you mean "token"\?$/m],
  ])('%j finds nothing: one line with near misses, and exit code 1', async (args, line) => {
    const { code, stdout, stderr } = await run(['outcomes', ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(line)
  })

  test('show explains one with every way to force it, also as JSON', async () => {
    const { code, stdout } = await run(['outcomes', 'show', 'id_token.expired'])
    expect(code).toBe(0)
    for (const way of [
      'sandbox_outcome=id_token.expired',
      'X-Sandbox-Outcome: id_token.expired',
      'sandbox.next(',
      'curl ',
    ])
      expect(stdout).toContain(way)
    const json = JSON.parse((await run(['outcomes', 'show', 'id_token.expired', '--json'])).stdout)
    expect(json).toMatchObject({
      kind: 'outcome',
      name: 'use/id_token.expired',
      force: { header: 'X-Sandbox-Outcome: id_token.expired' },
    })
  })
})
