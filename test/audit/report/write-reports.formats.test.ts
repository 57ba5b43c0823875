import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/audit/report/markdown.ts'
import { renderSarif } from '../../../src/audit/report/sarif.ts'
import { renderAuditTerminal } from '../../../src/audit/report/terminal.ts'
import { renderAuditJUnit } from '../../../src/audit/report/write-reports.ts'
import type { AuditReport } from '../../../src/sandbox/outcomes/report/audit-report.ts'
import { auditedRow, auditReport, HOSTILE, hostileTexts, MIXED, readingsAudit } from './sample-report.ts'

const CONSOLE = 'http://localhost:2435/_sandbox/console'

const renderAll = (report: AuditReport, console = CONSOLE) => ({
  terminal: renderAuditTerminal(report, { console, colour: (_style, text) => text }),
  markdown: renderMarkdown(report, console),
  sarif: JSON.parse(renderSarif(report)).runs[0],
  junit: renderAuditJUnit(report),
})

/** A report in which an app wrote this text wherever it can. */
function reportOf(text: string): AuditReport {
  const texts = { ...hostileTexts(text), row: text, harm: text, reason: text, cwe: [text] }
  const rows = (['let in', 'undetermined', 'known', 'observed', 'refused'] as const).map((verdict) =>
    auditedRow('use/id_token.jku', { ...texts, verdict, ...(verdict === 'undetermined' && { checks: ['aud'] }) }),
  )
  const learned = { use: { yes: text, no: [text] } }
  return auditReport(rows, { app: text, catalogue: text, notes: [text], learned })
}

/** Markdown without escaped characters and code spans, which end with as many backticks as they began. */
const bare = (markdown: string) => markdown.replace(/\\[!-/:-@[-`{-~]|(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '')
const tagsOf = (xml: string) => [...xml.matchAll(/<[^\s>]*/g)].map(([tag]) => tag)
const plain = renderAll(reportOf('x'))

test.each(HOSTILE)(
  'No text of an audited app is markup, a link, a control character or a line of a report: %j',
  (text) => {
    const { terminal, markdown, sarif, junit } = renderAll(reportOf(text), `${CONSOLE}?${text}`)
    const steering = /[\p{Cc}\p{Bidi_Control}\u200b]/u
    expect(terminal).toHaveLength(plain.terminal.length)
    expect(terminal.filter((line) => steering.test(line))).toEqual([])
    const own = /<\/?(?:details|summary)>|\]\(<http:\/\/localhost:2435[^<>\s]*>\)/g
    expect(bare(markdown).replace(own, '')).not.toMatch(/[<>`@$*~]|\]\(|:\/\/|www\./)
    expect(markdown.match(/^\|.*$|<details>/gm)).toEqual(plain.markdown.match(/^\|.*$|<details>/gm))
    const { results, tool } = sarif
    const { properties: _, ...rule } = tool.driver.rules[0]
    expect([results[0].message.text, JSON.stringify(rule)].join('\n')).not.toMatch(/(?<!\\)\]\(/)
    expect(results[0].message.text).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u)
    expect(tagsOf(junit)).toEqual(tagsOf(plain.junit))
  },
)

const PAIR = 'typ=absent with azp=present'

test.each([
  [false, 'note', 'skipped'],
  [true, 'warning', 'failure'],
])(
  'Every report of readings says what an app depends on, and fails where that counts: %j',
  (counted, level, element) => {
    const { terminal, markdown, sarif, junit } = renderAll(readingsAudit({ counted }))
    expect(terminal).toEqual([
      'depends on refused_token_status=401: it fails under refused_token_status=403',
      '  What happened: An access token that E5 refuses is answered with 403. In create/created as newcomer your app showed 400 at /callback.',
      '  See: The specification leaves it open: Errors: “HTTP status codes: not shown.”.',
      `  Flow: ${CONSOLE}/flows/f3`,
      '',
      `fails under ${PAIR}`,
      '  What happened: The app works under each of them alone. Your app showed 500 at /callback.',
      `  Flow: ${CONSOLE}/flows/f9`,
      '',
      'undetermined 1 used once',
      '  code_use=repeated',
      '',
      'not for this app 1 no upgrade',
      '  upgrade_effect=replaces',
      '',
      'undetermined 2 timed_out (combinations of variants that work alone)',
      '',
      `readings: works under 1 of 2; depends on refused_token_status=401; fails under ${PAIR}; 3 undetermined; 4.2 seconds`,
    ])
    expect(markdown).toMatch(
      /^## Audit of a relying party: readings\n\nReadings: works under 1 of 2; depends on refused\\_/,
    )
    expect(markdown).not.toContain('No row was run')
    expect(markdown).toMatch(
      /### depends on: refused\\_token\\_status=401.*\n\n- What happened: `An access token .*`\n.*\n- Flow: \[`f3`\]\(<http:.*\/flows\/f3>\)/,
    )
    const { results, tool } = sarif
    expect(results).toMatchObject([
      { ruleId: 'readings/refused_token_status=403', level },
      { ruleId: `readings/${PAIR}`, level },
    ])
    const [first, second] = tool.driver.rules
    expect([first.id, second.id]).toEqual(['readings/refused_token_status=403', `readings/${PAIR}`])
    const told = 'depends on refused_token_status=401: it fails under refused_token_status=403'
    expect(results[0].message.text).toContain(`${told}. What happened: An access token`)
    expect(junit).toContain(`${told} What happened: An access token that E5 refuses is answered with`)
    const cases = junit.matchAll(/<testcase name="([^"]*)" classname="readings"[^>]*?(?:\/>|>\s*<(failure|skipped))/g)
    expect([...cases].map(([, name, state = 'passed']) => `${name} ${state}`)).toEqual([
      `refused_token_status=403 ${element}`,
      'typ=absent passed',
      'code_use=repeated skipped',
      'upgrade_effect=replaces skipped',
      `${PAIR} ${element}`,
    ])
  },
)

test('Readings stand beside the rows of an earlier audit', () => {
  const { terminal, markdown } = renderAll({ ...readingsAudit(), ...MIXED })
  expect(terminal.join('\n')).toMatch(/^failed:[\s\S]*^readings: works under 1 of 2/m)
  expect(markdown).toMatch(/^## Audit of a relying party: failed\n[\s\S]*\nReadings: works under 1 of 2/)
})
