import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../../src/cli/audit/reports/markdown.ts'
import { MIXED, READINGS_FOUND, readingsAudit } from './sample-report.ts'

test('an audit of readings in Markdown is about readings alone, without a table of rows', () => {
  const text = renderMarkdown(readingsAudit(), { console: 'http://localhost:2435/_sandbox/console' })
  expect(text).toMatch(/^## Audit of a relying party: readings\n/)
  expect(text).not.toContain('No row was run')
  expect(text).toContain('works under 1 of 2; depends on par\\_status=201')
  expect(text).toMatch(/- `par_status=201`, not `200`: `A pushed request .*` .*\[`f3`\]\(<http:.*\/flows\/f3>\)/)
})

test('an audit in Markdown with rows has the readings in a part of their own', () => {
  const text = renderMarkdown({ ...MIXED, readings: READINGS_FOUND })
  expect(text).toMatch(/^## Audit of a relying party: failed\n/)
  expect(text).toContain('\n### Readings\n')
})
