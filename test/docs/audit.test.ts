import { Command } from 'commander'
import { expect, test } from 'vitest'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../src/audit/audit.ts'
import { auditFileSchema } from '../../src/audit/command/settings/settings.ts'
import { appAt } from '../../src/audit/drive/driver.ts'
import { parseAcceptedRule } from '../../src/audit/learn/accepted-rule.ts'
import { REASONS, VERDICTS } from '../../src/audit/report/audit-report.ts'
import { checksOf } from '../../src/audit/report/checks-of.ts'
import { findLibrary } from '../../src/audit/report/remedies.ts'
import { renderAuditTerminal } from '../../src/audit/report/terminal.ts'
import { parseYamlDocument } from '../../src/sandbox/files/yaml-document.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { addAuditFlags } from '../../src/tools/cli/audit/audit.ts'
import { type Changes, startExpressExample } from '../support/express-example.ts'
import { codeBlocks, codeIn, readPage, readRoot, tableOf } from './page.ts'

const page = readPage('audit.md')

/** What stands in code in the first column of a table of the page. */
const firstColumn = (heading: string) => tableOf(page, heading).flatMap(([cell]) => codeIn(cell))

test('audit.md has every verdict', () => {
  expect(firstColumn('Verdict').toSorted()).toEqual(VERDICTS.toSorted())
})

test('audit.md has every reason', () => {
  expect(firstColumn('Reason').toSorted()).toEqual(REASONS.toSorted())
})

test('audit.md has every flag of the command', async () => {
  const command = new Command('audit')
  await addAuditFlags(command)
  const flags = command.options.map(({ long }) => long)
  const shown = firstColumn('Flag').flatMap((code) => code.match(/--[a-z-]+/g) ?? [])
  expect(shown.filter((flag) => flag !== '--control-token').toSorted()).toEqual(flags.toSorted())
})

test('audit.md shows rules that can be read', () => {
  const rules = firstColumn('Rule')
  expect(rules.length).toBeGreaterThan(4)
  for (const rule of rules) expect(() => parseAcceptedRule(rule)).not.toThrow()
})

test('audit.md shows parts of agekey-audit.yaml that can be read', () => {
  const [question, file] = codeBlocks(page, 'yaml').map((text) =>
    parseYamlDocument(text, { file: 'audit.md', schema: auditFileSchema }),
  )
  expect(question).toMatchObject({ audit: { json: { sub: '{sub}' } } })
  expect(file).toMatchObject({
    app: 'http://localhost:3000/verify',
    use: { fragment: { as: 'form' } },
  })
})

test('The audit of audit.md finds only the example app that the page makes unsafe', async () => {
  const [, removed = ''] = /^sed -i '\/(.+)\/d' app\.js$/m.exec(page) ?? []
  expect(removed).not.toBe('')
  const library = findLibrary((name) =>
    name === 'package.json' ? readRoot('examples/express/package.json') : undefined,
  )
  await using sandbox = await createSandbox({ port: 0 })
  const auditOf = async (changes: Changes) => {
    const app = await startExpressExample(sandbox, changes)
    try {
      const audited = appAt(sandbox, { page: `${app.url}/verify`, agent: createHttpAgent() })
      const report = await runAudit(audited, { only: ['use/id_token.nonce_missing'] })
      const checks = checksOf(report.rows, library)
      return {
        code: report.exit_code,
        shown: renderAuditTerminal({ ...report, checks }, { colour: (_, text) => text }),
      }
    } finally {
      app.stop()
    }
  }
  const unsafe = await auditOf([[`    ${removed} &&\n`, '']])
  expect(unsafe.code).toBe(1)
  // What the page shows is what the command prints, but for the number of the flow.
  expect(page).toContain(unsafe.shown.slice(0, 8).join('\n'))
  expect(await auditOf([])).toMatchObject({ code: 0 })
}, 60_000)
