import { ConfigError } from '../../files/config-error.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { examine } from '../doctor/examine.ts'
import type { OpenSandbox } from './open-sandbox.ts'

const LIMIT_MS = 5000

/** A row may say that a token expired a minute ago: so much less must the clocks differ. */
const MAX_DIFFERENCE_SECONDS = 10

/**
 * Looks whether an app on this machine can use the sandbox, by the checks of `doctor`, and whether both live at the same time.
 * @throws ConfigError with a line for each problem
 */
export async function preflight({ api, certificate }: OpenSandbox): Promise<void> {
  const { now } = createClock()
  const issuer = api.baseUrl + ENDPOINTS.use.path
  const diagnoses = await examine({ issuer, ca: certificate, timeoutMs: LIMIT_MS, now })
  const problems = diagnoses.flatMap((diagnosis) => (diagnosis.status === 'problem' ? [diagnosis] : []))
  if (problems.length > 0) {
    throw ConfigError.of(
      problems.map(({ problem, message, fix }) => `${problem}: ${[message, ...fix].join('; ')}`).join('\n'),
    )
  }
  const state = await api.clock.state()
  const seconds = Math.round((Date.parse(state.now) - now()) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS && !state.frozen) return
  const how = state.frozen ? 'stands still' : `is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
  throw ConfigError.of(
    `${api.baseUrl}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back in the console, or by POST ${api.baseUrl}/_sandbox/clock with {"reset": true}`,
  )
}
