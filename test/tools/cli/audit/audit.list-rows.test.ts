import { expect, test, vi } from 'vitest'
import type { GivenFlags } from '../../../../src/audit/command/settings/flags.ts'
import { audit } from '../../../../src/tools/cli/audit/audit-command.ts'

/** The output of `audit --list`. */
async function listed(flags: GivenFlags): Promise<string> {
  let text = ''
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    text += line
    return true
  })
  expect(
    await audit(undefined, {}, { list: true, ...flags }).finally(() => written.mockRestore()),
  ).toBe(0)
  return text
}

test('audit --list shows the most severe rows first', async () => {
  const text = await listed({ only: ['use/id_token.*'], skip: ['use/id_token.a*'] })
  expect(text).toMatch(
    /^use\/id_token\.expired {2,}must {2,}.*OpenID Connect Core 1\.0 section 3\.1\.3\.7/m,
  )
  expect(text).not.toContain('use/id_token.a')
  expect(text).not.toMatch(/^create\//m)
  expect(text).toMatch(/\n\n\d+ rows, judged by catalogue \d\.\d\n$/)
})

test('audit --list prints JSON', async () => {
  const { rows, catalogue } = JSON.parse(await listed({ json: '-', catalogue: '0.1' }))
  expect(catalogue).toBe('0.1')
  expect(rows).toContainEqual({
    ...{ row: 'use/id_token.expired', level: 'must', since: '0.1', counted: true },
    ...{ family: expect.any(String), severity: expect.any(Number), summary: expect.any(String) },
    ...{
      refs: expect.any(Array),
      cwe: expect.arrayContaining([expect.stringMatching(/^CWE-\d+$/)]),
    },
  })
})

test('audit --list says which rows a version of the catalogue does not count', async () => {
  const { rows } = JSON.parse(await listed({ json: '-', catalogue: '0.1' }))
  type Row = { since: string; counted: boolean; severity: number }
  expect(rows.filter(({ since, counted }: Row) => counted !== (since === '0.1'))).toEqual([])
  const severities: number[] = rows.map(({ severity }: Row) => severity)
  expect(severities).toEqual(severities.toSorted((one, other) => other - one))
})
