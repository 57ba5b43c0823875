import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../../src/cli/audit/reports/markdown.ts'
import { auditedRow, auditReport, HOSTILE, hostileTexts, MIXED, readingsAudit } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'

test('An audit in Markdown has totals first, then findings, what is undetermined, notes, and the rest folded up', () => {
  const said = { evidence: '200 at /callback, "welcome"', summary: 'It is over.', rule: 'Check exp.' }
  const expired = auditedRow('use/id_token.expired', { ...said, verdict: 'let in' })
  const report = auditReport(
    [
      expired,
      auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
      auditedRow('use/id_token.jku', { verdict: 'not for this app', reason: 'no upgrade scope' }),
      auditedRow('use/id_token.exp_missing'),
    ],
    { notes: ['your app answers 429'] },
  )
  expect(renderMarkdown(report, { console: CONSOLE })).toBe(`## Audit of a relying party: failed

| let in | undetermined | refused | not for this app |
| ---: | ---: | ---: | ---: |
| 1 | 1 | 1 | 1 |

\`http://localhost:3000/verify\`, catalogue 0.2, 12.3 seconds

### Findings

#### let in: \`use/id_token.expired\`

must, severity 7.4

- What was sent: It is over.
- What happened: \`200 at /callback, "welcome".\`
- Check: Check exp.
- Harm: An old proof is good for ever.
- Reference: RFC 7519 section 4.1.4; [CWE-613](https://cwe.mitre.org/data/definitions/613.html)
- Flow: [\`f12\`](<http://localhost:2435/_sandbox/console/flows/f12>)

### Undetermined

- 1: \`masked\`, the app refuses the same answer without the fault: \`use/callback.state_missing\`

### Notes

- \`your app answers 429\`

<details>
<summary>1 not for this app</summary>

- 1: \`no upgrade scope\`: \`use/id_token.jku\`

</details>

<details>
<summary>1 refused</summary>

\`use/id_token.exp_missing\`

</details>

<details>
<summary>What was learned</summary>

- use: yes is \`200 at /callback, "welcome"\`, no is \`400 at /callback\`

</details>
`)
})

test('Flows in Markdown are links only with the address of a console on the web', () => {
  const report = auditReport([auditedRow('use/id_token.expired', { verdict: 'let in' })])
  expect(renderMarkdown(report)).toContain('- Flow: `f12`\n')
  expect(renderMarkdown(report, { console: 'javascript:alert(1)//' })).toContain('- Flow: `f12`\n')
})

test('An audit without rows says so in Markdown', () => {
  const empty = /^## Audit of a relying party: nothing was judged\n\nNo row was run\.\n/
  expect(renderMarkdown(auditReport([]))).toMatch(empty)
})

/** Markdown without escaped characters and code spans, which end at as many backticks as they began with. */
const bare = (markdown: string) => markdown.replace(/\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')

test.each(HOSTILE)('No text of an audited app becomes markup in Markdown: %j', (text) => {
  const texts = { ...hostileTexts(text), row: text, harm: text, reason: text, cwe: [text] }
  const rows = (['let in', 'undetermined', 'known', 'observed', 'refused'] as const).map((verdict) =>
    auditedRow('use/id_token.jku', { ...texts, verdict }),
  )
  const learned = { use: { yes: text, no: [text] } }
  const report = auditReport(rows, { app: text, catalogue: text, notes: [text], learned })
  const markdown = renderMarkdown(report, { console: `${CONSOLE}?${text}` })
  const own = /<\/?(?:details|summary)>|\]\(<http:\/\/localhost:2435[^<>\s]*>\)/g
  expect(bare(markdown).replace(own, '')).not.toMatch(/[<>`@$*~]|\]\(|:\/\/|www\./)
  expect(markdown.match(/^\|.*$/gm)).toHaveLength(3)
  expect(markdown.match(/<details>/g)).toHaveLength(4)
})

const row = auditedRow('use/id_token.expired', { verdict: 'let in', evidence: '🔑'.repeat(900) })
const rows = Array.from({ length: 500 }, (_, index) => ({ ...row, row: `use/id_token.expired_${index}` }))

test('Markdown for a step of GitHub is at most 1 MiB, cut between findings, and its last sentence says where the rest is', () => {
  const markdown = renderMarkdown(auditReport(rows))
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(1024 * 1024)
  expect(Buffer.byteLength(markdown)).toBeGreaterThan(1024 * 1024 - 10_000)
  expect(markdown).toMatch(/\n\nThe report ends here: .*`--json` writes all of it\.\n$/)
  const findings = markdown.split('#### ').slice(1)
  expect(findings.length).toBeGreaterThan(2)
  for (const finding of findings) expect(finding).toContain('- Flow: `f12`\n')
})

test('Markdown for a step of GitHub never leaves a folded part open', () => {
  const refused = auditReport(rows.map((one) => ({ ...one, verdict: 'refused' }) as const))
  for (let maxBytes = 100; maxBytes < 20_000; maxBytes += 1000) {
    const markdown = renderMarkdown(refused, { maxBytes })
    expect(markdown.match(/<details>/g)?.length).toBe(markdown.match(/<\/details>/g)?.length)
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(Math.max(maxBytes, 200))
  }
})

test('Readings in Markdown are all of a report without rows, and a part of their own beside rows', () => {
  const text = renderMarkdown(readingsAudit(), { console: CONSOLE })
  expect(text).toMatch(/^## Audit of a relying party: readings\n/)
  expect(text).not.toContain('No row was run')
  expect(text).toContain('works under 1 of 2; depends on par\\_status=201')
  expect(text).toMatch(/- `par_status=201`, not `200`: `A pushed request .*` .*\[`f3`\]\(<http:.*\/flows\/f3>\)/)
  const beside = renderMarkdown({ ...readingsAudit(), ...MIXED })
  expect(beside).toMatch(/^## Audit of a relying party: failed\n[\s\S]*\n### Readings\n/)
})
