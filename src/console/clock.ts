import { type ConsoleFrame, renderConsolePage } from '../http/console-page.ts'
import { renderInstant } from '../http/html/elements.ts'
import { renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { parseWith } from '../http/parse.ts'
import type { ClockState } from '../sandbox/clock/clock.ts'
import { clockMoveSchema } from '../sandbox/clock/clock-move.ts'
import { describeSeconds } from '../sandbox/clock/describe-clock.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'

/** `console/clock`: the time of the sandbox, and forms that move it. */
export const clockPage: ConsoleRoute = {
  name: 'clock',
  render: ({ tenant, frame, fields, problem }) =>
    renderClock(frame, tenant.clock.state(), { set: fields['set'], problem }),
  act: move,
}

async function move({ tenant, fields }: ConsoleCall): Promise<undefined> {
  const { advance, set, freeze, reset } = fields
  const wanted = {
    ...(advance === undefined ? {} : { advance: Number(advance) }),
    ...(set === undefined ? {} : { set }),
    ...(freeze === undefined ? {} : { freeze: freeze === 'true' }),
    ...(reset === undefined ? {} : { reset: reset === 'true' }),
  }
  await tenant.moveClock(parseWith(clockMoveSchema, wanted, 'body'))
}

/** The time of the clock, which a script keeps going; it shows the local form in the element that `data-local` names. */
const renderTicking = (now: string, isFrozen: boolean): Html =>
  html`<time datetime="${now}" data-clock="${isFrozen ? 'frozen' : 'running'}" data-local="local-now">${now.slice(0, 19).replace('T', ' ')}Z</time>`

/** The steps of the buttons, and what they show with the default lifetimes. */
const STEPS = [
  { seconds: 91, title: '+91 seconds', hint: 'a request_uri has expired' },
  { seconds: 600, title: '+10 minutes', hint: 'an id_token and a code have expired' },
  { seconds: 10_800, title: '+3 hours', hint: 'an access token has expired' },
  { seconds: 86_400, title: '+1 day', hint: 'turns-18-tomorrow is 18' },
  { seconds: 31_536_000, title: '+1 year', hint: '365 days; verifications are a year older' },
] as const

/**
 * The clock that decides every lifetime and every age, and forms that move it.
 *
 * @param form.set the text of the field when its move was refused
 */
export function renderClock(
  frame: ConsoleFrame,
  { now, base, advanced_seconds: advancedSeconds, frozen: isFrozen }: ClockState,
  { set, problem }: { set?: string | undefined; problem?: string | undefined },
): RenderedPage {
  const action = `${frame.consolePath}/clock`
  return renderConsolePage(frame, {
    title: 'Clock',
    current: 'clock',
    lead: html`One clock for every lifetime and every age. Move it to see what expires, and who has a birthday.`,
    problem,
    body: html`<div class="columns">
<section class="card" aria-labelledby="now-title">
<h2 id="now-title">Now</h2>
<p class="big-time" data-testid="now">${renderTicking(now, isFrozen)}</p>
<p class="muted" id="local-now"></p>
<dl class="settings">
<div><dt>State</dt><dd data-testid="clock-state">${isFrozen ? 'frozen' : 'running'}</dd></div>
<div><dt>Advanced</dt><dd>${advancedSeconds} s${advancedSeconds >= 60 && html` <span class="muted">(${describeSeconds(advancedSeconds)})</span>`}</dd></div>
<div><dt>Base</dt><dd>${renderInstant(base)}</dd></div>
</dl>
<p class="hint">Relative dates of personas count from the base: advancing makes them older, a container that runs for weeks does not.</p>
<form class="button-row" method="post" action="${action}">
<button class="secondary" name="freeze" value="${isFrozen ? 'false' : 'true'}" data-testid="freeze">${isFrozen ? 'Let it run' : 'Freeze'}</button>
<button class="secondary" name="reset" value="true" data-testid="reset">Back to real time</button>
</form>
<h2>Go to an instant</h2>
<form class="form-row" method="post" action="${action}">
${renderTextField({ name: 'set', label: 'Date or date-time', value: set, hint: 'ISO 8601 in UTC, for example 2026-01-31T12:00:00Z. The base moves too.' })}
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
