import { expect, test } from 'vitest'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import { explainName } from '../../../src/server/client/explain-name.ts'
import { levelOf, RULES } from '../../../src/service/oidc/rules/rules.ts'
import { startSandbox } from '../../support/sandbox.ts'

test.each(RULES)(
  'explainName explains $id with its sentence, its section and its remedy',
  (rule) => {
    const explained = explainName(rule.id.toLowerCase())
    expect(explained).toMatchObject({
      kind: 'rule',
      name: rule.id,
      title: rule.sentence,
      remedy: rule.hint,
    })
    const text = linesOf(explained)
    for (const part of [rule.id, rule.sentence, rule.section, rule.hint])
      expect(text).toContain(part)
    expect(text).toContain(levelOf(rule, 'agekey'))
  },
)

test('explainName says of a rule whose level depends on the profile what each profile does', () => {
  const error = 'When it is broken: error, the request is refused with unsupported_response_type'
  const advice = 'in profile agekey advice, the request goes on'
  expect(linesOf(explainName('USE-05'))).toContain(`${error}; ${advice}`)
})

test('explainName explains every outcome', () => {
  for (const row of OUTCOMES) {
    const explained = explainName(rowId(row))
    expect(explained).toMatchObject({
      kind: 'outcome',
      name: rowId(row),
      title: row.summary,
      remedy: row.rule,
    })
    const text = linesOf(explained)
    for (const part of [row.summary, row.rule, row.harm, ...row.refs, row.name])
      expect(text).toContain(part)
  }
})

test('explainName explains a name of several flows for Use', () => {
  const lines = expect.arrayContaining(['The same name in other flows: create/access_denied'])
  const explained = { name: 'use/access_denied', others: ['create/access_denied'], lines }
  expect(explainName('access_denied')).toMatchObject(explained)
})

test('explainName names every way to force an outcome, with the base URL that it is given', () => {
  const text = linesOf(explainName('id_token.expired', { baseUrl: 'http://sandbox:8080' }))
  const ways = ['sandbox_outcome=id_token.expired', 'X-Sandbox-Outcome: id_token.expired']
  for (const way of [...ways, "curl 'http://sandbox:8080/_sandbox/expectations' --json "])
    expect(text).toContain(way)
})

test('explainName gives for every outcome an expectation that a sandbox takes', async () => {
  const { next, expectations } = await startSandbox()
  for (const row of OUTCOMES) {
    const explained = explainName(rowId(row))
    if (explained.kind !== 'outcome')
      return expect.fail(`${rowId(row)} is explained as a ${explained.kind}`)
    expect(await next(explained.force.expectation)).toMatchObject({
      outcome: row.name,
      flow: row.flow,
    })
    await expectations.clear()
  }
})

test.each([
  ['id_token.expire', 'id_token.expired'],
  ['use/id_token.expire', 'use/id_token.expired'],
  ['USE-4', 'USE-04'],
])('explainName asks for %s whether %s is meant', (name, meant) => {
  const message = expect.stringContaining(
    `there is no rule and no outcome "${name}". Did you mean `,
  )
  const suggestions = expect.arrayContaining([meant])
  expect(explainName(name)).toMatchObject({ kind: 'unknown', message, suggestions })
})

test('explainName says of a name that is near nothing where the names are listed', () => {
  const remedy = '`agekey-sandbox outcomes` lists the outcomes, docs/rules.md the rules.'
  const message = `there is no rule and no outcome "xyzzy". ${remedy}`
  expect(explainName('xyzzy')).toEqual({ kind: 'unknown', name: 'xyzzy', message, suggestions: [] })
})

function linesOf(explained: ReturnType<typeof explainName>): string {
  if (explained.kind === 'unknown') throw new Error(explained.message)
  return explained.lines.join('\n')
}
