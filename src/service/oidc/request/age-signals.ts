import { type AgeSignal, parseAgeSignals } from '../../age/signal.ts'
import type { Provider } from '../provider.ts'
import type { Findings } from '../rules/findings.ts'

/**
 * Checks `authorization_details` (E2 and E5) and returns the age signals for an age key. A client
 * cannot submit an ISO 27566-1 level: the level comes from the certifications of the provider.
 */
export function readAgeSignals(
  value: unknown,
  provider: Provider,
  findings: Findings,
): AgeSignal[] | undefined {
  const { maxSignals } = provider.policy
  const { signals, issues } = parseAgeSignals(value, {
    ...provider.vocabulary,
    now: provider.clock.now(),
    maxSignals,
  })
  findings.addIssues('authorization_details', issues)
  return signals?.map(({ type: _type, verification_id: _verificationId, ...signal }) => {
    const level = provider.certifications[signal.provenance]?.[signal.method]
    return level === undefined ? signal : { ...signal, iso_27566_1: level }
  })
}
