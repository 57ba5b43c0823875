import { expect, test } from 'vitest'
import { selectRows } from '../../../../src/audit/trials/rows/select-rows.ts'
import { AUDIT_ROWS, OUTCOMES, rowId } from '../../../../src/sandbox/outcomes/catalogue.ts'

const selected = (only?: readonly string[], skip?: readonly string[]) =>
  selectRows({ only, skip }).map(rowId)

test('Without a pattern every row is selected, in the order of the catalogue, with those of the audit itself', () => {
  expect(selected()).toEqual(AUDIT_ROWS.map(rowId))
})

test.each([
  ['use/id_token.expired', (id: string) => id === 'use/id_token.expired'],
  ['use/id_token.*', (id: string) => id.startsWith('use/id_token.')],
  ['*/access_denied', (id: string) => id.endsWith('/access_denied')],
])('The pattern %s selects rows by their names', (pattern, isSelected) => {
  expect(selected([pattern])).toEqual(AUDIT_ROWS.map(rowId).filter(isSelected))
  expect(selected([], [pattern])).toEqual(AUDIT_ROWS.map(rowId).filter((id) => !isSelected(id)))
})

test('A pattern of a column selects exactly the rows with this value', () => {
  for (const cwe of ['cwe:347', 'cwe:CWE-347'])
    expect(selected([cwe])).toEqual(OUTCOMES.filter((row) => row.cwe.includes(347)).map(rowId))
  const [{ family } = expect.fail()] = OUTCOMES
  const ofFamily = OUTCOMES.filter((row) => row.family === family).map(rowId)
  expect(selected([`family:${family}`])).toEqual(expect.arrayContaining(ofFamily))
  const rows = OUTCOMES.filter((row) => row.flow === 'par' && row.level !== 'must')
  expect(selected(['flow:par'], ['level:must'])).toEqual(rows.map(rowId))
})

test.each([
  ['use/id_token.expird', 'Did you mean "use/id_token.expired"'],
  ['flow:cretae', 'Did you mean "create"'],
  ['level:shuold', 'Did you mean "should"'],
  ['cwe:1', 'Known are '],
  ['colour:red', 'Patterns are use/id_token.*'],
  ['.*', 'Patterns are use/id_token.*'],
])('The pattern %j, which names no row, is refused: %s', (pattern, hint) => {
  expect(() => selected([pattern])).toThrow(`${JSON.stringify(pattern)} names no row.`)
  expect(() => selected([], [pattern])).toThrow(hint)
})
