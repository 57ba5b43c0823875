import { renderInstant } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderTextField } from '../http/html/fields.ts'
import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'

export interface ClockView extends ConsoleFrame {
  /** ISO 8601, as `base`. */
  readonly now: string
  readonly base: string
  readonly advancedSeconds: number
  readonly isFrozen: boolean
  /** The path that moves the clock. */
  readonly action: string
  /** What was written in the field of a move that was refused. */
  readonly set?: string | undefined
  readonly problem?: string | undefined
}

/** How far the buttons go, and what has ended by then in the default lifetimes. */
const STEPS = [
  { seconds: 91, title: '+91 seconds', hint: 'a request_uri has expired' },
  { seconds: 600, title: '+10 minutes', hint: 'an id_token and a code have expired' },
  { seconds: 10_800, title: '+3 hours', hint: 'an access token has expired' },
  { seconds: 86_400, title: '+1 day', hint: 'turns-18-tomorrow is 18' },
  { seconds: 31_536_000, title: '+1 year', hint: '365 days; verifications are a year older' },
] as const

/** The clock by which every lifetime and every age is judged, and what moves it. */
export function renderClock(view: ClockView): RenderedPage {
  const { now, base, advancedSeconds, isFrozen, action } = view
  return renderConsolePage(view, {
    title: 'Clock',
    current: 'clock',
    lead: html`One clock for every lifetime and every age. Move it to see what expires, and who has a birthday.`,
    problem: view.problem,
    body: html`<div class="columns">
<section class="card" aria-labelledby="now-title">
<h2 id="now-title">Now</h2>
<p class="big-time" data-testid="now">${renderInstant(now)}</p>
<dl class="settings">
<div><dt>State</dt><dd data-testid="clock-state">${isFrozen ? 'frozen' : 'running'}</dd></div>
<div><dt>Advanced</dt><dd>${advancedSeconds} s</dd></div>
<div><dt>Base</dt><dd>${renderInstant(base)}</dd></div>
</dl>
<p class="hint">Relative dates of personas count from the base: advancing makes them older, a container that runs for weeks does not.</p>
<form class="button-row" method="post" action="${action}">
<button class="secondary" name="freeze" value="${isFrozen ? 'false' : 'true'}" data-testid="freeze">${isFrozen ? 'Let it run' : 'Freeze'}</button>
<button class="secondary" name="reset" value="true" data-testid="reset">Back to real time</button>
</form>
<h2>Go to an instant</h2>
<form class="form-row" method="post" action="${action}">
${renderTextField({ name: 'set', label: 'Date or date-time', value: view.set, hint: 'ISO 8601 in UTC, for example 2026-01-31T12:00:00Z. The base moves too.' })}
<button class="secondary">Set</button>
</form>
</section>
<section class="card" aria-labelledby="advance-title">
<h2 id="advance-title">Let time pass</h2>
<form method="post" action="${action}"><ul class="step-list">
${STEPS.map(
  ({ seconds, title, hint }) =>
    html`<li><button class="step" name="advance" value="${seconds}" data-testid="advance-${seconds}"><strong>${title}</strong> <span class="muted">${hint}</span></button></li>
`,
)}</ul></form>
<form class="form-row" method="post" action="${action}">
${renderTextField({ name: 'advance', label: 'Or so many seconds' })}
<button class="secondary">Advance</button>
</form>
</section>
</div>`,
  })
}
