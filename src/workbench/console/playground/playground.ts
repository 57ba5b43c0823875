import { inPersonaOrder } from '../../../sandbox/personas/persona-schema.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import type { Fields } from '../../../server/http/form.ts'
import { counted, renderSnippet } from '../../../server/http/html/elements.ts'
import { renderFindingList } from '../../../server/http/html/finding-list.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { translate } from '../../../server/http/html/messages.ts'
import type { Claims } from '../../../service/age/claims.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { flipsOf, renderAnswerTable, selectAnswers } from './answer-table.ts'
import { answersOf, type PersonaAnswer } from './answers.ts'
import { changesOf, formatClaims, type Pasted, readPasted } from './claims.ts'
import { copiesOf } from './copies.ts'

/**
 * `console/playground`: the answers of every persona to claims, and the effect of one changed
 * filter. The query holds the whole state, so that a URL can be shared: `claims`, `before` (claims
 * to compare with), `change` (a label of `changesOf`), `persona` (to copy).
 */
export const playgroundPage: ConsoleRoute = {
  name: 'playground',
  async render({ tenant, frame, host, fields }) {
    const asked = readQuestion(fields, tenant)
    const { text, claims, findings } = asked.pasted
    if (!claims) return renderPlayground(frame, { text, findings, before: fields['before'] })
    const answered = await answer({ claims, before: asked.before }, { tenant, host, fields })
    return renderPlayground(frame, { text, findings, before: JSON.stringify(claims), answered })
  },
}

function readQuestion({ claims: given, before: compared, change: label }: Fields, tenant: Tenant) {
  const { provider, clock } = tenant
  const pasted = readPasted(given ?? exampleClaims(clock.now()), provider)
  const before =
    compared === undefined || compared === given ? undefined : readPasted(compared, provider).claims
  if (!pasted.claims) return { pasted, before }
  if (label === 'back' && before) return { pasted: shown(before), before: pasted.claims }
  const change = changesOf(pasted.claims, clock.now()).find((one) => one.label === label)
  return change ? { pasted: shown(change.claims), before: pasted.claims } : { pasted, before }
}

const shown = (claims: Claims): Pasted => ({ text: formatClaims(claims), claims, findings: [] })

/** The usual thresholds, and two filters that some personas fail. */
const exampleClaims = (now: number): string =>
  formatClaims({
    age_thresholds: [13, 16, 18, 21],
    verified_after: new Date(now - 730 * 86_400_000).toISOString().slice(0, 10),
    overrides: { facial_age_estimation: { min_age: 25 } },
  })

/** Evaluates valid claims. */
async function answer(
  { claims, before }: { claims: Claims; before: Claims | undefined },
  { tenant, host, fields }: Pick<ConsoleCall, 'tenant' | 'host' | 'fields'>,
) {
  const { personas, clock, provider } = tenant
  const now = clock.now()
  const all = inPersonaOrder(await personas.list())
  const holders = personas.resolvedAll(all).map(({ name, title, age_key: ageKey }) => {
    return { name, title, ...(ageKey && { signals: ageKey.signals }) }
  })
  const { answers, effects, compared } = await answersOf(holders, {
    claims,
    before,
    changes: changesOf(claims, now),
    now,
  })
  // The first persona if the named one no longer exists.
  const persona = all.find(({ name }) => name === fields['persona']) ?? all[0]
  const ofPersona = answers.find(({ name }) => name === persona?.name)?.answers
  const { baseUrl } = provider
  return {
    table: await selectAnswers(answers, claims.age_thresholds, fields),
    /** The personas whose answers differ from the earlier ones; absent without earlier claims. */
    changed: before && answers.filter((one) => flipsOf(one).length > 0),
    effects,
    compared,
    /** Texts to copy; absent when there is no persona. */
    copied: persona && {
      persona: persona.name,
      copies: await copiesOf({
        claims,
        persona,
        answers: ofPersona,
        baseUrl,
        client: host.shownClient,
      }),
    },
  }
}

type AnsweredClaims = Awaited<ReturnType<typeof answer>>

interface PlaygroundView extends Pick<Pasted, 'text' | 'findings'> {
  /** The claims with which the next answers are compared. */
  readonly before: string | undefined
  /** Absent when the service would refuse the claims. */
  readonly answered?: AnsweredClaims
}

/**
 * Maximum number of characters of the claims to compare with, because a query holds at most 64 KiB.
 */
const MAX_BEFORE = 16 * 1024

/**
 * Renders the claims, the answers of every persona, the effect of single changes, and texts to
 * copy.
 */
export function renderPlayground(
  frame: ConsoleFrame,
  { text, findings, before, answered }: PlaygroundView,
): RenderedPage {
  const action = `${frame.consolePath}/playground`
  return renderConsolePage(frame, {
    title: 'Playground',
    current: 'playground',
    lead: html`What every persona answers to your claims, and why. Nothing is recorded, and no flow begins.`,
    scripts: ['copy.js'],
    body: html`<form class="stack" method="get">
<div class="columns">
<section class="card" aria-labelledby="claims-title">
<h2 id="claims-title">Claims</h2>
<div class="field">
<label for="claims">JSON, or the address of a whole Use request</label>
<textarea id="claims" name="claims" rows="${rowsFor(text)}" maxlength="65536" autocomplete="off" autocapitalize="none" spellcheck="false"${findings.length > 0 && html` aria-describedby="findings"`}>
${text}</textarea>
</div>
${before !== undefined && before.length <= MAX_BEFORE && html`<input type="hidden" name="before" value="${before}">`}
${answered?.copied && html`<input type="hidden" name="persona" value="${answered.copied.persona}">`}
<div class="row"><button class="primary" data-testid="evaluate">Evaluate</button> <a class="target" href="${action}">Start over</a></div>
${
  findings.length > 0 &&
  html`<div id="findings" data-testid="findings"${!answered && html` role="alert"`}>
${!answered && html`<p class="notice no"><strong>The service would refuse these claims.</strong> Your text stays as it is.</p>`}
${renderFindingList(findings, translate('en'))}
</div>`
}
</section>
${answered && renderEffects(answered)}
</div>
${answered && renderAnswerTable(answered.table, `${action}#copy`)}
${answered?.copied && renderCopies(answered.copied)}
</form>`,
  })
}

const rowsFor = (text: string) => Math.min(20, Math.max(9, text.split('\n').length))

/** Maximum number of personas named in a sentence; the others are counted. */
const MAX_NAMES = 3

function renderEffects({ changed, effects, compared }: AnsweredClaims): Html {
  return html`<section class="card" aria-labelledby="change-title">
<div class="row spread"><h2 id="change-title">Change one filter</h2>${changed && html` <button class="secondary" name="change" value="back" data-testid="back">Back to the claims before</button>`}</div>
${changed && renderFlips(changed)}
${compared !== undefined && html`<p class="muted">Tried on the first ${compared} personas with an age key: there are too many to try all.</p>`}
<ul class="effects">${effects.map(
    ({ label, flips }) =>
      html`<li><button class="row spread wide" name="change" value="${label}"><strong>${label}</strong> <span class="mark ${flips.length > 0 ? 'warn' : 'none'}">${flips.length === 0 ? 'same answers' : counted(flips.length, 'persona')}</span>${flips.length > 0 && html` <span class="hint">${namesOf(flips)}</span>`}</button></li>
`,
  )}</ul>
</section>`
}

function renderFlips(flipped: readonly PersonaAnswer[]): Html {
  return html`<div class="notice" role="status" data-testid="flipped">${
    flipped.length === 0
      ? html`<p>No answer changed.</p>`
      : html`<p>The answers of ${counted(flipped.length, 'persona')} changed:</p>
<ul>${flipped.slice(0, MAX_NAMES).map((answer) => html`<li><code>${answer.name}</code> ${flipsOf(answer).join(', ')}</li>`)}${flipped.length > MAX_NAMES && html`<li>and ${flipped.length - MAX_NAMES} more, first in the table</li>`}</ul>`
  }</div>`
}

const namesOf = (names: readonly string[]) =>
  names.slice(0, MAX_NAMES).join(', ') +
  (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '')

/** Renders the texts to copy. Long texts are folded. */
function renderCopies({ persona, copies }: NonNullable<AnsweredClaims['copied']>): Html {
  return html`<section class="card" id="copy" aria-labelledby="copy-title">
<h2 id="copy-title">Copy as</h2>
<p class="muted">With <code>${persona}</code>; the button of a row above takes another persona.</p>
<div class="columns">${copies.map(
    ({
      title,
      text,
      isLong,
    }) => html`<details${!isLong && html` open`}><summary>${title}</summary>${renderSnippet(text)}</details>
`,
  )}</div>
</section>`
}
