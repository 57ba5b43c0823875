import type { ConsoleFrame } from '../../http/console-page.ts'
import { counted, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { Finding } from '../../oidc/rules/finding.ts'
import { ruleRow } from '../../oidc/rules/rules.ts'
import { summarizeFlow } from '../../sandbox/journal/explain-flow.ts'
import type { ListedFlow } from '../../sandbox/journal/journal.ts'
import { flowTitle } from './flow-table.ts'
import { type PageClock, renderFlowTime } from './flow-time.ts'
import { overdue, renderStatusMark } from './status-mark.ts'

/** The flows that broke one rule. */
interface RuleGroup {
  readonly finding: Finding
  count: number
  /** At most `MAX_SHOWN`, newest first, each with what was wrong there. */
  readonly newest: { readonly flow: ListedFlow; readonly text: string }[]
}

export interface FlowsByRule {
  /** Errors first, then advice; in each the rule that most flows broke comes first. */
  readonly groups: readonly RuleGroup[]
  readonly total: number
  /** The newest of those that broke no rule, and how many there are. */
  readonly sound: { readonly count: number; readonly newest: readonly ListedFlow[] }
}

/** Flows that one group names. */
const MAX_SHOWN = 5
const MAX_SOUND = 20

/** Puts each flow into the groups of the rules that it broke, of which it may have several. @param flows newest first */
export async function groupByRule(flows: AsyncIterable<ListedFlow>): Promise<FlowsByRule> {
  const groups = new Map<string, RuleGroup>()
  const sound: ListedFlow[] = []
  let soundCount = 0
  let total = 0
  for await (const flow of flows) {
    total++
    const broken = new Map(flow.calls.flatMap(({ findings }) => findings).map((finding) => [keyOf(finding), finding]))
    for (const [key, finding] of broken) {
      const group = groups.get(key) ?? { finding, count: 0, newest: [] }
      groups.set(key, group)
      group.count++
      if (group.newest.length < MAX_SHOWN) group.newest.push({ flow, text: finding.message })
    }
    if (broken.size > 0) continue
    soundCount++
    if (sound.length < MAX_SOUND) sound.push(flow)
  }
  const ordered = [...groups.values()].sort(
    (one, other) => levelRank(one) - levelRank(other) || other.count - one.count,
  )
  return { groups: ordered, total, sound: { count: soundCount, newest: sound } }
}

/** A rule may be an error for one flow and advice for another, when the profile was changed between. */
const keyOf = ({ rule, level }: Finding) => `${level} ${rule}`
const levelRank = ({ finding }: RuleGroup) => (finding.level === 'error' ? 0 : 1)

interface GroupsContext {
  readonly frame: ConsoleFrame
  readonly clock: PageClock
  /** The query of the list that has all flows of a rule. */
  listOf(rule: string): string
}

/** A section for each rule that was broken, and one for the flows that broke none. */
export function renderFlowsByRule({ groups, total, sound }: FlowsByRule, context: GroupsContext): Html {
  return html`<p class="hint" data-testid="group-count">${counted(total, 'flow')}: ${groups.length === 0 ? 'no rule was broken' : `${counted(groups.length, 'rule')} broken`}. A flow that broke several rules stands below each.</p>
${groups.map((group) => renderGroup(group, context))}
${
  sound.count > 0 &&
  html`<section class="rule-group" aria-labelledby="sound-title">
<h2 id="sound-title">No rule broken <span class="count">${sound.count}</span></h2>
<ul class="rule-flows">${sound.newest.map((flow) => renderLine(flow, summaryOf(flow, context.clock), context))}</ul>
${sound.count > sound.newest.length && html`<p class="hint">The newest ${sound.newest.length} of ${sound.count}.</p>`}
</section>`
}`
}

function renderGroup({ finding, count, newest }: RuleGroup, context: GroupsContext): Html {
  const { sentence, hint } = ruleRow(finding.rule)
  const { rule, level } = finding
  const id = `${level}-${rule}`
  return html`<section class="rule-group" aria-labelledby="${id}" data-testid="rule-${rule}">
<h2 id="${id}"><span class="tag ${level === 'error' ? 'bad' : 'warn'}">${level}</span> <code class="whole">${rule}</code> <span class="count">${counted(count, 'flow')}</span></h2>
<p>${sentence} <span class="muted">${hint}</span></p>
<ul class="rule-flows">${newest.map(({ flow, text }) => renderLine(flow, text, context))}</ul>
<p class="links">${count > newest.length && html`<a class="target" href="?${context.listOf(rule)}">All ${count} flows</a> `}<a class="target" href="${context.frame.consolePath}/rules?q=${rule}#${rule}">The rule</a></p>
</section>
`
}

const summaryOf = (flow: ListedFlow, clock: PageClock) => (overdue(flow, clock) ?? summarizeFlow(flow)).summary

/** Characters of what a line says; the page of the flow has all. */
const MAX_TEXT = 240

function renderLine(flow: ListedFlow, text: string, { frame, clock }: GroupsContext): Html {
  const { id, client_id: clientId } = flow
  const { status } = overdue(flow, clock) ?? summarizeFlow(flow)
  return html`<li><a class="target" href="${frame.consolePath}/flows/${id}">${flowTitle(flow)} ${id}</a> ${renderStatusMark(flow, status)} <span class="said">${shortened(text, MAX_TEXT)}</span> <span class="muted">${clientId !== undefined && html`<code>${shortened(clientId, 60)}</code> `}${renderFlowTime(flow.started_at, clock)}</span></li>
`
}
