import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

test.each(EXAMPLES)(
  'The example %s is an app of at most 150 lines with a README of at most 40',
  (name) => {
    const files = readdirSync(`${ROOT}examples/${name}`, {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    })
    const lines = { app: 0, readme: 0 }
    for (const file of files.filter((one) => one.isFile() && one.name !== 'package.json')) {
      const text = readFileSync(join(file.parentPath, file.name), 'utf8')
      lines[file.name === 'README.md' ? 'readme' : 'app'] += text.split('\n').length - 1
    }
    expect(
      [lines.app > 80 && lines.app <= 150, lines.readme > 5 && lines.readme <= 40],
      JSON.stringify(lines),
    ).toEqual([true, true])
    expect(page).toContain(`(../examples/${name}/)`)
  },
)
