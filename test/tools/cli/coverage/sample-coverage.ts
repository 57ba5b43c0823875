import { createClock } from '../../../../src/sandbox/clock/clock.ts'
import type { Coverage, SeenByClients } from '../../../../src/sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../../src/sandbox/coverage/describe-coverage.ts'
import { closingPersonas } from '../../../../src/sandbox/coverage/dimensions/gap-closing.ts'
import { loadPersonas } from '../../../../src/sandbox/personas/load-personas.ts'
import { seenOf } from '../../../sandbox/coverage/seen.ts'

/** What an app that asks for 18 and 21 has seen of one kind of user. */
const seenBy = (isAdult: boolean, ending: string) =>
  seenOf({
    claims: { '1a2b3c4d': { age_thresholds: [18, 21] } },
    names: [
      'asked use',
      'asked no_can_create',
      `answer 1a2b3c4d/18 ${isAdult}`,
      `answer 1a2b3c4d/21 ${isAdult}`,
      `ending ${ending}`,
    ],
  })

/** An adult was seen, and no minor. */
export const ADULT_SEEN = seenBy(true, 'verified')

/** What a minor adds. */
export const MINOR_SEEN = seenBy(false, 'none_met')

/** What was seen with what is derived from it, by the built-in personas. */
export async function described(seen: SeenByClients): Promise<Coverage> {
  const clock = createClock()
  const instants = { base: clock.base(), now: clock.now() }
  return describeCoverage(seen, await closingPersonas(await loadPersonas(), instants))
}
