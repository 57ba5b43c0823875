import { type ClockState, clockMoveSchema, describeSeconds } from '../../../sandbox/clock/clock.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import { type Fields, numberOf } from '../../../server/http/form.ts'
import { renderInstant } from '../../../server/http/html/elements.ts'
import { renderTextField } from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { parseWith } from '../../../server/http/parse.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import type { FormState } from '../console-route.ts'

/**
 * Moves the clock as the form says.
 * @throws Refusal 400 for an empty or invalid form
 */
export async function moveByForm(
  { advance, set, freeze, reset }: Fields,
  tenant: Pick<Tenant, 'moveClock'>,
): Promise<void> {
  const wanted = {
    ...(advance === undefined ? {} : { advance: numberOf(advance) }),
    ...(set === undefined ? {} : { set }),
    ...(freeze === undefined ? {} : { freeze: freeze === 'true' }),
    ...(reset === undefined ? {} : { reset: reset === 'true' }),
  }
  if (Object.keys(wanted).length === 0)
    throw Refusal.invalidRequest('Clock: write a date to go to, or the seconds that shall pass')
  await tenant.moveClock(parseWith(clockMoveSchema, wanted, 'body'))
}

/** The steps of the buttons, and their effect with the default lifetimes. */
const STEPS = [
  { seconds: 91, title: '+91 seconds', hint: 'a request_uri has expired' },
  { seconds: 600, title: '+10 minutes', hint: 'an id_token and a code have expired' },
  { seconds: 10_800, title: '+3 hours', hint: 'an access token has expired' },
  { seconds: 86_400, title: '+1 day', hint: 'turns-18-tomorrow is 18' },
  { seconds: 31_536_000, title: '+1 year', hint: '365 days; verifications are a year older' },
] as const

/** Renders the time of the sandbox, with forms that move it. */
export function renderClock(
  { now, base, advanced_seconds: advancedSeconds, frozen: isFrozen }: ClockState,
  { fields: { set, advance }, action }: FormState,
): Html {
  return html`<section class="card" id="clock" aria-labelledby="clock-title">
<h2 id="clock-title">Clock</h2>
<div class="columns">
<div class="stack">
<p><span class="big-time" data-testid="now">${renderTicking(now, isFrozen)}</span> <span class="tag${isFrozen && ' warn'}" data-testid="clock-state">${isFrozen ? 'frozen' : 'running'}</span> <span class="line muted" id="local-now"></span></p>
<p class="hint">Advanced ${advancedSeconds} s${advancedSeconds >= 60 && ` (${describeSeconds(advancedSeconds)})`} from the base ${renderInstant(base)}. Relative dates of personas count from the base: advancing makes personas older, a container that runs for weeks does not.</p>
<form class="row" method="post" action="${action}">
<button class="secondary" name="freeze" value="${isFrozen ? 'false' : 'true'}" data-testid="freeze">${isFrozen ? 'Let it run' : 'Freeze'}</button>
<button class="secondary" name="reset" value="true" data-testid="reset">Back to real time</button>
</form>
<form class="row" method="post" action="${action}">
${renderTextField({ name: 'set', label: 'Go to a date or a date-time', value: set, hint: 'ISO 8601 in UTC, for example 2026-01-31T12:00:00Z. The base moves too.' })}
<button class="secondary">Set</button>
</form>
</div>
<div class="stack">
<form method="post" action="${action}"><ul class="stack">
${STEPS.map(
  ({ seconds, title, hint }) =>
    html`<li><button class="row spread boxed wide" name="advance" value="${seconds}" data-testid="advance-${seconds}"><strong>${title}</strong> <span class="muted">${hint}</span></button></li>
`,
)}</ul></form>
<form class="row" method="post" action="${action}">
${renderTextField({ name: 'advance', label: 'Or let so many seconds pass', value: advance })}
<button class="secondary">Advance</button>
</form>
</div>
</div>
</section>`
}

/**
 * Renders the time of the clock. A script keeps it running and shows the local time in the element
 * that `data-local` names.
 */
const renderTicking = (now: string, isFrozen: boolean): Html =>
  html`<time datetime="${now}" data-clock="${isFrozen ? 'frozen' : 'running'}" data-local="local-now">${now.slice(0, 19).replace('T', ' ')}Z</time>`
