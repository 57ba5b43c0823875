import { peekPending } from '../../../sandbox/decision/pending.ts'
import { callbackOf } from '../../../sandbox/journal/call-record.ts'
import { outcomeOf, summarizeFlow } from '../../../sandbox/journal/explain-flow.ts'
import { type Flow, flowId, flowNumber, type ListedFlow } from '../../../sandbox/journal/journal.ts'
import { linkStories, type StoryLinks } from '../../../sandbox/journal/link-stories.ts'
import { nextSteps } from '../../../sandbox/journal/next-steps.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import {
  RECORDING_FORMATS,
  RECORDING_NAMES,
  recordingFile,
} from '../../../server/control/contract/recording-formats.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import { renderInstant } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { decodeIdToken, renderIdToken } from '../../../server/http/html/id-token-table.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import type { Provider } from '../../../service/oidc/provider.ts'
import type { ConsoleCall, ConsolePage, ConsoleRoute } from '../console-route.ts'
import { type FlowPlace, renderAgain, transactionOf } from './again.ts'
import { renderCalls } from './calls.ts'
import { FLOW_TITLES, type PageClock, pageClock, renderFlowTable } from './flow-table.ts'
import { renderWhy } from './why.ts'

/** `console/flows/ID`: a flow with everything that the journal knows about it. */
export const flowPage: ConsoleRoute = { name: 'flows', below: '/:id', render: renderOne }

async function renderOne({ request, tenant, frame }: ConsoleCall): Promise<ConsolePage> {
  const id = request.params['id'] ?? ''
  const flow = await tenant.journal.find(tenant.name, id)
  if (flow) {
    const { basePath, provider } = tenant
    const { baseUrl, lifetimes } = provider
    const [story, waiting] = await Promise.all([readStory(flow, tenant), waitingOf(flow, tenant)])
    return renderFlow(frame, flow, {
      basePath,
      baseUrl,
      lifetimes,
      story,
      waiting,
      clock: pageClock(tenant),
    })
  }
  return renderUnknown(frame, await newestFlows(tenant), { id, clock: pageClock(tenant) })
}

/** Maximum number of flows on the page for an unknown id. */
const MAX_NEWEST = 10

async function newestFlows({ journal, name }: Tenant): Promise<readonly ListedFlow[]> {
  const newest: ListedFlow[] = []
  for await (const flow of journal.list(name)) if (newest.push(flow) === MAX_NEWEST) break
  return newest
}

/** Renders the page for an unknown id, with the newest flows. */
export function renderUnknown(
  frame: ConsoleFrame,
  newest: readonly ListedFlow[],
  { id, clock }: { id: string; clock: PageClock },
): ConsolePage {
  const title = `There is no flow ${id.slice(0, 40)}`
  const page = renderConsolePage(frame, {
    title,
    current: 'flows',
    lead: html`A reset removes all flows, and the oldest go when the journal is full. <a href="${frame.consolePath}/flows">All flows</a>`,
    styles: ['flows.css'],
    body: html`<section class="card flow-rows" aria-label="The newest flows">
${newest.length > 0 ? renderFlowTable(newest, { frame, clock }) : html`<p class="notice muted">No flow has begun yet.</p>`}
</section>`,
  })
  return { ...page, status: 404 }
}

/** How many flows before and after a flow are searched for its story. */
const MAX_STORY_REACH = 50

async function readStory(
  { id, client_id, audit }: Flow,
  { journal, name }: Tenant,
): Promise<StoryLinks> {
  if (client_id === undefined) return {}
  const number = flowNumber(id)
  const near: ListedFlow[] = []
  const after = flowId(Math.max(0, number - MAX_STORY_REACH - 1))
  const before = flowId(number + MAX_STORY_REACH + 1)
  for await (const flow of journal.list(name, {
    client_id,
    after,
    before,
    audit: audit && 'only',
  })) {
    near.push(flow)
  }
  return linkStories(near).get(id) ?? {}
}

/** The transaction of a flow, if it still waits for the user. */
async function waitingOf(flow: Flow, { provider }: Tenant): Promise<string | undefined> {
  const transaction = flow.ended_at === undefined ? transactionOf(flow) : undefined
  return transaction !== undefined && (await peekPending(transaction, provider))
    ? transaction
    : undefined
}

interface FlowContext extends FlowPlace {
  readonly lifetimes: Provider['lifetimes']
  readonly story: StoryLinks
}

/** Renders a flow: the reasons of its answer, the next steps, the calls and the id_token. */
export function renderFlow(frame: ConsoleFrame, flow: Flow, context: FlowContext): RenderedPage {
  const { baseUrl, lifetimes, clock, story } = context
  const idToken = callbackOf(flow)?.['id_token']
  return renderConsolePage(frame, {
    title: `${FLOW_TITLES[flow.flow]} flow ${flow.id}`,
    current: 'flows',
    lead: html`Began ${renderInstant(flow.started_at)} by the clock of the sandbox. <span class="hint live" role="status" data-live-state hidden></span>`,
    styles: ['flows.css'],
    scripts: ['copy.js', 'console-live.js'],
    body: html`<div class="stack" id="flow" data-live data-events="${frame.controlPath}/events" data-flow="${flow.id}">
${renderStory(story, frame)}
${renderWhy(flow, { frame, clock })}
<div class="columns">
${renderNext(flow, nextSteps(flow, { lifetimes, now: clock.now }), frame)}
${renderAgain(flow, context)}
</div>
${renderCalls(flow, { baseUrl, jsonPath: `${frame.controlPath}/flows/${flow.id}`, told: summarizeFlow(flow).summary })}
${
  idToken !== undefined &&
  html`<details class="card raw" id="token"><summary>The id_token, member by member</summary>
${renderIdToken(decodeIdToken(idToken))}</details>`
}
${renderTakeAlong(flow, frame)}
</div>`,
  })
}

function renderStory({ before, after }: StoryLinks, { consolePath }: ConsoleFrame): Html | false {
  const link = (id: string, text: string) =>
    html`<a class="target" href="${consolePath}/flows/${id}">${text} ${id}</a>`
  return (
    (before ?? after) !== undefined &&
    html`<nav class="row" aria-label="Flows of the same story">${before !== undefined && link(before, 'Before this:')} ${after !== undefined && link(after, 'After this:')} <span class="hint">Probably the same user: same client, and same state or persona.</span></nav>`
  )
}

function renderNext(flow: Flow, steps: readonly string[], frame: ConsoleFrame): Html {
  const outcome = outcomeOf(flow)
  const playground = playgroundOf(flow, frame)
  return html`<section class="card" aria-labelledby="next-title" data-preview>
<h2 id="next-title">What a correct client does next</h2>
${outcome !== undefined && html`<p class="notice">${outcome.rule}</p>`}
<ul class="steps" data-testid="next">${steps.map((step) => html`<li>${step}</li>`)}</ul>
${playground !== undefined && html`<p class="row links"><a class="target" href="${playground}" data-testid="try-claims">Try these claims on every persona</a></p>`}
</section>`
}

/** Renders links to download the flow as a file. */
function renderTakeAlong({ id }: Flow, { controlPath }: ConsoleFrame): Html {
  return html`<section class="card" aria-labelledby="take-title">
<h2 id="take-title">Take it along</h2>
<p class="row links" data-testid="recordings">${RECORDING_NAMES.map(
    (as) =>
      html`<a class="target" href="${controlPath}/flows/${id}?as=${as}" download="${recordingFile(id, as)}">${RECORDING_FORMATS[as].title}</a> `,
  )}</p>
<p class="hint">What was decided, when the clock moved and what the app sent, as a file. Secrets are left out; only a HAR holds the id_token.</p>
</section>`
}

/** Maximum number of characters of claims in a link. */
const MAX_CLAIMS = 8_000

/** The link to the playground with the claims of the flow. */
function playgroundOf({ calls, persona }: Flow, { consolePath }: ConsoleFrame): string | undefined {
  const sent = calls.find(({ endpoint }) => endpoint === ENDPOINTS.use.number)?.parameters['claims']
  if (sent === undefined) return undefined
  const claims = typeof sent === 'string' ? sent : JSON.stringify(sent)
  if (claims.length > MAX_CLAIMS) return undefined
  return `${consolePath}/playground?${new URLSearchParams({ claims, ...(persona !== undefined && { persona }) })}`
}
