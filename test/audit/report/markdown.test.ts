import { expect, test } from 'vitest'
import { checksOf } from '../../../src/audit/report/checks-of.ts'
import { renderMarkdown } from '../../../src/audit/report/markdown.ts'
import { auditedRow, auditReport } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'

test('An audit in Markdown has its checks first', () => {
  const expired = auditedRow('use/id_token.expired_issued_now', {
    ...{ verdict: 'let in', evidence: '200 at /callback, "welcome"', summary: 'It is over.' },
  })
  const rows = [
    expired,
    auditedRow('use/callback.state_missing', { verdict: 'undetermined', reason: 'masked' }),
    auditedRow('use/id_token.sub_empty', {
      verdict: 'not for this app',
      reason: 'no upgrade scope',
    }),
    auditedRow('use/id_token.iss_missing'),
  ]
  const report = auditReport(rows, {
    checks: checksOf(rows, 'go-oidc'),
    notes: ['your app answers 429'],
  })
  expect(renderMarkdown(report, CONSOLE)).toBe(`## Audit of a relying party: failed

not verified\\: expiry (1 row); 1 check missing, 1 undetermined, 1 holds

| let in | undetermined | refused | not for this app |
| ---: | ---: | ---: | ---: |
| 1 | 1 | 1 | 1 |

\`http://localhost:3000/verify\`, catalogue ${report.catalogue}, 12.3 seconds

### missing: expiry

1 row, must, severity 7.4

- What happened: \`use/id_token.expired_issued_now: It is over. 200 at /callback, "welcome".\`
- Harm: A token that was copied long ago from a log, a history or a backup still opens the door.
- Check: exp is in the future, give or take a little for the skew of clocks.
- Write with go-oidc:
  \`\`\`
  provider, err := oidc.NewProvider(ctx, issuer) // once, when the app starts
  token, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, idToken)
  \`\`\`
- See: RFC 7519 section 4.1.4; [CWE-613](https://cwe.mitre.org/data/definitions/613.html)
- Flow: [\`f12\`](<http://localhost:2435/_sandbox/console/flows/f12>)

<details>
<summary>1 row</summary>

- \`200 at /callback, "welcome".\`: \`use/id_token.expired_issued_now\`

</details>

### Undetermined

- 1 undetermined: \`masked: the app refuses the same answer without the fault\`: \`use/callback.state_missing\`

### Notes

- \`your app answers 429\`

<details>
<summary>1 check holds</summary>

- issuer (1 row)

</details>

<details>
<summary>1 not for this app</summary>

- \`No upgrade scope.\`: \`use/id_token.sub_empty\`

</details>

<details>
<summary>1 refused</summary>

- \`use/id_token.iss_missing\`

</details>

<details>
<summary>What was learned</summary>

- use: yes, \`200 at /callback, "welcome"\`; no, \`400 at /callback\`

</details>
`)
})

test('Markdown says when no row was run', () => {
  expect(renderMarkdown(auditReport([]))).toMatch(
    /^## Audit of a relying party: nothing was judged\n\nNo row was run\.\n/,
  )
})

test('Markdown links flows only to a console on the web', () => {
  const report = auditReport([auditedRow('use/id_token.expired', { verdict: 'let in' })])
  expect(renderMarkdown(report)).toContain('- Flow: `f12`\n')
  expect(renderMarkdown(report, 'javascript:alert(1)//')).toContain('- Flow: `f12`\n')
})

const row = auditedRow('use/verified', { verdict: 'too strict', evidence: '🔑'.repeat(900) })
const rows = Array.from({ length: 500 }, (_, index) => ({
  ...row,
  row: `use/row_${index}`,
  family: `family_${index}`,
}))

test('Markdown for a step of GitHub is cut between checks at 1 MiB', () => {
  const markdown = renderMarkdown(auditReport(rows))
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(1024 * 1024)
  expect(Buffer.byteLength(markdown)).toBeGreaterThan(1024 * 1024 - 20_000)
  expect(markdown).toMatch(/\n\nThe report ends here: .*`--json` writes all of it\.\n$/)
  const findings = markdown.split('### ').slice(1)
  expect(findings.length).toBeGreaterThan(2)
  for (const finding of findings) expect(finding).toContain('- Flow: `f12`\n')
})

test('Markdown for a step of GitHub never leaves a folded part open', () => {
  const refused = auditReport(rows.map((one) => ({ ...one, verdict: 'refused' }) as const))
  for (let maxBytes = 100; maxBytes < 20_000; maxBytes += 1000) {
    const markdown = renderMarkdown(refused, undefined, maxBytes)
    expect(markdown.match(/<details>/g)?.length).toBe(markdown.match(/<\/details>/g)?.length)
    expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(Math.max(maxBytes, 200))
  }
})
