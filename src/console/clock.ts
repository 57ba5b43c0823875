import { consolePathOf } from '../http/html/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { parseWith } from '../http/parse.ts'
import { clockMoveSchema } from '../sandbox/clock/clock-move.ts'
import { renderClock } from './clock-page.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'

/** `console/clock`: what time it is, and what moves it. */
export const clockPage: ConsoleRoute = { name: 'clock', render: renderState, act: move }

function renderState({ tenant, frame, fields, problem }: ConsoleCall): RenderedPage {
  const { now, base, advanced_seconds: advancedSeconds, frozen: isFrozen } = tenant.clock.state()
  const action = `${consolePathOf(tenant)}/clock`
  return renderClock({ ...frame, now, base, advancedSeconds, isFrozen, action, set: fields['set'], problem })
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
