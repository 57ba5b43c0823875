import {
  codeSpan,
  escapeMarkdown,
  fold,
  joinBlocks,
  renderMarkdownTable,
} from '../../sandbox/files/reports/markdown.ts'
import type { AuditedRow, AuditReport } from './audit-report.ts'
import { conclusionOf, describeChecks, describeReadings, listChecks } from './conclusion.ts'
import {
  countNoun,
  type Fact,
  flowAddress,
  isFound,
  type Point,
  pointsOf,
  unshownOf,
  whatAppDid,
} from './points.ts'

const FOLDED = ['known', 'observed', 'not for this app', 'refused', 'accepted'] as const

/**
 * Renders a report as GitHub Flavored Markdown.
 * @param console the URL of the console, for links to flows
 * @param maxBytes default: the size that GitHub accepts for the summary of a step
 */
export function renderMarkdown(report: AuditReport, console?: string, maxBytes?: number): string {
  const { rows, readings, checks, notes, learned, app, catalogue, seconds, totals } = report
  const columns = Object.keys(totals).map((title) => ({ title, isNumber: true }))
  const holds = checks
    .filter(({ verdict }) => verdict === 'holds')
    .map((check) => `- ${escapeMarkdown(listChecks([check]))}\n`)
  const unshown = unshownOf(report).map(({ verdict, reason, count, names }) =>
    [
      `- ${count} ${verdict}`,
      codeSpan(reason),
      ...(names.length === 0 ? [] : [codeSpans(names)]),
    ].join(': '),
  )
  const signs = Object.entries(learned).flatMap(([flow, one]) =>
    one === undefined
      ? []
      : `- ${flow}: yes, ${codeSpan(one.yes)}; no, ${one.no.map(codeSpan).join(' or ')}\n`,
  )
  const blocks = [
    `## Audit of a relying party: ${readings && rows.length === 0 ? 'readings' : conclusionOf(report)}`,
    escapeMarkdown(describeChecks(checks)),
    readings && `Readings: ${escapeMarkdown(describeReadings(readings))}`,
    columns.length > 0
      ? renderMarkdownTable(columns, [Object.values(totals)])
      : !readings && 'No row was run.',
    `${codeSpan(app)}, catalogue ${escapeMarkdown(catalogue)}, ${seconds.toFixed(1)} seconds`,
    ...pointsOf(report)
      .filter(isFound)
      .flatMap((point) => [
        pointBlock(point, console),
        foldRows(countNoun(point.rows.length, 'row'), point.rows),
      ]),
    ...(unshown.length > 0 ? ['### Undetermined', ...unshown] : []),
    ...(notes.length > 0 ? ['### Notes', ...notes.map((note) => `- ${codeSpan(note)}`)] : []),
    holds.length > 0 &&
      fold(`${holds.length} ${holds.length === 1 ? 'check holds' : 'checks hold'}`, holds.join('')),
    ...FOLDED.map((verdict) => {
      const ofVerdict = rows.filter((row) => row.verdict === verdict)
      return foldRows(`${ofVerdict.length} ${verdict}`, ofVerdict)
    }),
    signs.length > 0 && fold('What was learned', signs.join('')),
  ]
  const texts = blocks.flatMap((block) =>
    typeof block === 'string' && block !== '' ? `${block.trimEnd()}\n` : [],
  )
  return joinBlocks(texts, maxBytes)
}

const codeSpans = (texts: readonly string[]) => texts.map(codeSpan).join(', ')

function pointBlock(
  { verdict, title, weight, facts, flows }: Point,
  console: string | undefined,
): string {
  const lines = facts.map((fact) => `- ${fact.label}:${factText(fact)}`)
  const links = flows.map((id) => `- Flow: ${flowLink(id, console)}`)
  const head = [`### ${verdict}: ${escapeMarkdown(title)}`, '', ...(weight ? [weight, ''] : [])]
  return [...head, ...lines, ...links].join('\n')
}

function factText({ kind, text }: Fact): string {
  if (kind === 'happened') return ` ${codeSpan(text)}`
  if (kind === 'write')
    return ['', '  ```', ...text.split('\n').map((line) => `  ${line}`), '  ```'].join('\n')
  const safe = ` ${escapeMarkdown(text)}`
  return kind === 'see'
    ? safe.replace(/CWE-(\d+)/g, '[$&](https://cwe.mitre.org/data/definitions/$1.html)')
    : safe
}

function flowLink(id: string, console = ''): string {
  const url = flowAddress(console, id)
  const isOnWeb = /^https?:/.test(url) && URL.canParse(url)
  return isOnWeb ? `[${codeSpan(id)}](<${new URL(url).href}>)` : codeSpan(id)
}

/** A folded block with a line for each reaction of the app, and the rows that led to it. */
function foldRows(title: string, rows: readonly AuditedRow[]): string | false {
  const reactionOf = (row: AuditedRow) =>
    /^(refused|accepted)$/.test(row.verdict) ? '' : whatAppDid(row)
  const lines = [...new Set(rows.map(reactionOf))].map((text) => {
    const names = codeSpans(rows.filter((row) => reactionOf(row) === text).map(({ row }) => row))
    return `- ${text && `${codeSpan(text)}: `}${names}\n`
  })
  return rows.length > 0 && fold(title, lines.join(''))
}
