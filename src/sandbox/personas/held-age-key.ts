import type { AgeSignal } from '../../age/signal.ts'
import { MAX_SIGNALS } from './persona-schema.ts'

/** An age key of the newest signals, each without what only the submission says (`type`, `verification_id`). */
export function ageKeyWith(signals: readonly AgeSignal[]): { signals: AgeSignal[] } {
  return { signals: signals.slice(-MAX_SIGNALS).map(toPersonaSignal) }
}

function toPersonaSignal({ method, age, verified_at, provenance, attributes, iso_27566_1 }: AgeSignal): AgeSignal {
  return {
    method,
    age,
    verified_at,
    provenance,
    ...(attributes !== undefined && { attributes }),
    ...(iso_27566_1 !== undefined && { iso_27566_1 }),
  }
}
