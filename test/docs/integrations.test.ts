import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { codeIn, ROOT, readPage, tableOf } from './page.ts'

const page = readPage('integrations.md')

test('Each check of integrations.md names outcomes that a correct client refuses', () => {
  const rows = tableOf(page, 'Check')
  expect(rows.length).toBeGreaterThan(8)
  for (const [check, , outcomes] of rows) {
    const named = codeIn(outcomes).map(
      (name) => OUTCOMES.find((row) => row.name === name)?.correctClient ?? name,
    )
    expect([...new Set(named)], check).toEqual(['refuse'])
  }
})

const EXAMPLES = readdirSync(`${ROOT}examples`).filter((name) => name !== 'clients')

test.each(EXAMPLES)('integrations.md links the example %s', (name) => {
  expect(page).toContain(`(../examples/${name}/)`)
})
