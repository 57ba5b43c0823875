import * as z from 'zod'
import { CHECK_ROWS } from '../../sandbox/outcomes/outcome.ts'
import type { ConsoleFrame } from '../../server/http/console-page.ts'
import type { Handler, HttpHost } from '../../server/http/handler.ts'
import {
  renderAnswers,
  renderStatus,
  renderTable,
  shortened,
} from '../../server/http/html/elements.ts'
import { type Html, html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { allPassed, type CheckResult } from './checks/check.ts'
import { type CheckedCallback, isTrusted } from './checks/check-callback.ts'
import { answersSchema } from './checks/check-claims.ts'
import { readDemoForm, renderDemoPage, showDemo, toResult } from './demo.ts'
import { type Exchange, sendCode, upgrade } from './server-calls.ts'
import { requireSession, type Session, updateSession } from './sessions.ts'
import { renderDateField } from './start.ts'

/** Shows the result of this browser's flow. */
export const showResult =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const session = await requireSession(request, tenant)
    return showDemo({ request, tenant, host }, (frame) => renderDemoResult(frame, session))
  }

/** Renders request and callback side by side, each check with its result, and the next step. */
export function renderDemoResult(frame: ConsoleFrame, session: Session): RenderedPage {
  const { flow, state, request, callback, exchanges } = session
  const { title, sentence } = verdictOf(session)
  return renderDemoPage(frame, {
    title,
    scripts: ['copy.js'],
    main: html`<header class="card">
<p class="muted">${flow === 'use' ? 'Use' : 'Create'}</p>
<h1 data-testid="demo-verdict">${title}</h1>
<p>${sentence}</p>
${renderAnswers(shownAnswers(callback))}
<p class="row links"><a href="${frame.demoPath}">Start again</a> <a href="${frame.consolePath}/flows?${new URLSearchParams({ state }).toString()}">See it in the console</a></p>
</header>
${renderOffer(session, frame)}
<div class="columns">
${renderSide('request', 'What the shop sent', request ?? 'No authorization request was made.')}
${renderCallback(callback)}
</div>
${
  callback &&
  html`<section class="card" aria-labelledby="checks-title">
<h2 id="checks-title">What the shop checked</h2>
${renderChecks('Checks of the callback', callback.checks)}
</section>`
}
${exchanges.map(renderExchange)}
${callback?.reads.map(renderRead)}`,
  })
}

function renderOffer(session: Session, { demoPath }: ConsoleFrame): Html | undefined {
  const offer = offerOf(session)
  if (offer === undefined) return undefined
  const { title, reason, button } = OFFERS[offer]
  return html`<section class="card" aria-labelledby="offer-title">
<h2 id="offer-title">${title}</h2>
<p class="muted">${reason}</p>
<form class="row" method="post" action="${demoPath}/${offer}">
${renderDateField()}
<button class="primary" data-testid="demo-${offer}">${button}</button>
</form>
</section>`
}

const OFFERS = {
  upgrade: {
    title: 'Upgrade the age key',
    reason:
      'Every age was false and a code came: the shop verifies the age in another way and adds the result to the age key.',
    button: 'Upgrade',
  },
  create: {
    title: 'Create an age key',
    reason:
      'The shop verifies the age in another way, and the visitor keeps the result as an age key.',
    button: 'Create',
  },
} as const

/** Renders one half of the page: parameters, or a sentence that says why there are none. */
const renderSide = (
  id: string,
  title: string,
  content: Readonly<Record<string, string>> | string,
): Html =>
  html`<section class="card" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${typeof content === 'string' ? html`<p class="muted">${content}</p>` : renderParameters(content)}
</section>`

function renderCallback(callback: Session['callback']): Html {
  if (!callback?.claims) {
    return renderSide(
      'return',
      'What came back',
      callback?.params ?? 'The visitor has not come back yet.',
    )
  }
  return html`<section class="card" aria-labelledby="return-title">
<h2 id="return-title">What came back</h2>
<h3>Payload of the id_token</h3>
<div class="snippet" data-copy><pre><code data-testid="demo-claims">${shortened(JSON.stringify(callback.claims, undefined, 2), 8_000)}</code></pre></div>
<details class="raw"><summary>The callback as it was sent</summary>
${renderParameters(callback.params)}</details>
</section>`
}

/** Renders the failed checks, and the passed checks folded below them. */
function renderChecks(caption: string, checks: readonly CheckResult[]): Html {
  const failed = checks.filter((check) => !check.passed)
  const passed = checks.filter((check) => check.passed)
  return html`${failed.length > 0 && renderCheckTable(caption, failed)}
${
  passed.length > 0 &&
  html`<details class="raw"><summary>Checks that passed <span class="count">${passed.length}</span></summary>
${renderCheckTable(caption, passed)}</details>`
}`
}

function renderCheckTable(caption: string, checks: readonly CheckResult[]): Html {
  const rows = checks.map(({ name, passed, found }) => ({
    cells: [
      html`<code>${name}</code>`,
      html`<span class="mark ${passed ? 'yes' : 'no'}" data-testid="check-${name}">${passed ? 'pass' : 'fail'}</span>`,
      RULES.get(name),
      html`<code>${shortened(found, 300)}</code>`,
    ],
  }))
  return renderTable(caption, ['What', 'Result', 'Rule', 'Found'], rows)
}

const RULES = new Map(CHECK_ROWS.map(({ name, rule }) => [name, rule]))

/**
 * Renders request and answer of a server-to-server call side by side, and the checks of the answer.
 */
function renderExchange(exchange: Exchange): Html {
  const { title, method, url, sent, status, checks } = exchange
  return html`<section class="card">
<h2>${title} ${renderStatus(status)}</h2>
<p><code><b>${method}</b> ${url}</code></p>
<div class="columns">
<div><h3>Sent</h3>${renderParameters(sent)}</div>
<div><h3>Answered</h3>${renderAnswer(exchange)}</div>
</div>
${renderChecks(`Checks of the reply to ${title}`, checks)}
</section>
`
}

/** Renders a document that the shop fetched. The document is folded unless a check failed. */
function renderRead(read: Exchange): Html {
  const { title, method, url, status, checks } = read
  return html`<section class="card">
<h2>${title} ${renderStatus(status)}</h2>
<p><code><b>${method}</b> ${url}</code></p>
${renderChecks(`Checks of the reply to ${title}`, checks)}
<details class="raw"${!allPassed(checks) && html` open`}><summary>The reply</summary>
${renderAnswer(read)}</details>
</section>
`
}

const renderAnswer = ({ answer }: Exchange): Html =>
  html`<div class="snippet"><pre><code>${typeof answer === 'string' ? answer : JSON.stringify(answer, undefined, 2)}</code></pre></div>`

const renderParameters = (parameters: Readonly<Record<string, string>>): Html =>
  html`<dl class="settings">${Object.entries(parameters).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${shortened(value)}</code></dd></div>`)}</dl>`

/** Creates a verdict of the shop on a flow: a title, and a sentence that explains it. */
const verdict = (title: string, sentence: string) => ({ title, sentence })

const VERDICTS = {
  waiting: verdict(
    'The visitor has not come back',
    'The shop sent the browser away and waits for its callback.',
  ),
  refusedPush: verdict('The Create request was refused', 'The answer below says what to correct.'),
  distrusted: verdict(
    'The shop does not trust this callback',
    'A check failed, so nothing of what came back counts.',
  ),
  created: verdict(
    'The age key is saved',
    'A Create callback without error is a success: nothing else comes back.',
  ),
  upgraded: verdict(
    'The age key is upgraded',
    'It holds the new age signal: verify the age again as the same persona to see it.',
  ),
  notUpgraded: verdict('The upgrade was refused', 'The answer below says what to correct.'),
  createRequested: verdict(
    'The visitor wants an age key first',
    'No id_token came: the shop verifies the age in another way, then starts Create.',
  ),
  noToken: verdict(
    'No id_token came',
    'A callback without error brings an id_token: this one cannot be used.',
  ),
  verified: verdict('Verified', 'Every check passed, so the answers count.'),
  tooYoung: verdict(
    'Verified',
    'Every check passed, so the answers count: the visitor reaches none of these ages.',
  ),
}

/** The verdict on a flow so far. */
export function verdictOf({
  flow,
  request,
  callback,
  exchanges,
}: Session): ReturnType<typeof verdict> {
  if (!callback) return request ? VERDICTS.waiting : VERDICTS.refusedPush
  const {
    error,
    error_description: description,
    create_requested: createRequested,
  } = callback.params
  if (error && isOnlyError(callback))
    return verdict(`Came back with ${error}`, description ?? 'There is no result.')
  if (!isTrusted(callback)) return VERDICTS.distrusted
  if (flow === 'create') return VERDICTS.created
  if (exchanges.length > 0) return isUpgraded(exchanges) ? VERDICTS.upgraded : VERDICTS.notUpgraded
  if (createRequested === 'true') return VERDICTS.createRequested
  if (!callback.claims) return VERDICTS.noToken
  return Object.values(shownAnswers(callback)).includes(true)
    ? VERDICTS.verified
    : VERDICTS.tooYoung
}

/** Whether the callback is a plain error without any other fault. */
const isOnlyError = ({ params, checks }: CheckedCallback) =>
  params['id_token'] === undefined && checks.every(({ name, passed }) => passed || name === 'error')

/** E4 and E5 both succeeded. */
const isUpgraded = (exchanges: Session['exchanges']) =>
  exchanges.length === 2 && exchanges.every(({ checks }) => allPassed(checks))

/** The answer for each requested age; empty unless all checks of the callback passed. */
export function shownAnswers(
  callback: CheckedCallback | undefined,
): Readonly<Record<string, boolean>> {
  if (!callback || !isTrusted(callback)) return {}
  return answersSchema.safeParse(callback.claims?.['age_thresholds']).data ?? {}
}

/** The action that the shop offers next. */
export function offerOf({ flow, callback, exchanges }: Session): 'upgrade' | 'create' | undefined {
  if (flow === 'create' || !callback || !isTrusted(callback)) return undefined
  const { code, create_requested: createRequested } = callback.params
  if (code !== undefined && exchanges.length === 0) return 'upgrade'
  return createRequested === 'true' ? 'create' : undefined
}

const issued = z.object({ access_token: z.string() })

/** E4 and E5: exchanges the code and adds an age signal to the age key. */
export const takeUpgrade =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    const { date_of_birth: dateOfBirth = '' } = readDemoForm(request)
    const session = await requireSession(request, tenant)
    const code = requireCode(session)
    const token = await sendCode(code, { tenant, host })
    const { data } = issued.safeParse(token.body)
    const added =
      data && (await upgrade({ accessToken: data.access_token, dateOfBirth }, { tenant, host }))
    const exchanges = [token.exchange, ...(added ? [added.exchange] : [])]
    await updateSession(request, tenant, { ...session, exchanges })
    return { reply: toResult(tenant) }
  }

/**
 * The code that the shop may exchange now.
 * @throws Refusal when there is none
 */
function requireCode({ flow, callback, exchanges }: Session): string {
  const code = flow === 'use' ? callback?.params['code'] : undefined
  if (!callback || code === undefined) {
    throw refused(
      'no code came with this flow: it comes only with the upgrade scope, when every threshold is false.',
      'This flow has no code',
    )
  }
  if (!isTrusted(callback)) {
    throw refused(
      'a check of the callback failed, so the shop does not use its code.',
      'This code is not used',
    )
  }
  if (exchanges.length > 0) {
    throw refused(
      'the code of this flow is exchanged already; it is single use.',
      'This code is used up',
    )
  }
  return code
}

const refused = (problem: string, title: string) =>
  Refusal.invalidRequest(`code: ${problem}`, {
    title,
    restartHint:
      'Start again in the demo app: select “Allow an upgrade”, press Verify my age and answer as child-12.',
  })
