import { ENDPOINTS } from '../../service/oidc/endpoints.ts'
import { TRANSACTION_SECONDS } from '../../service/oidc/policy.ts'
import type { Lifetimes } from '../../service/oidc/ports.ts'
import { callbackOf } from './call-record.ts'
import type { Flow, ListedFlow } from './journal.ts'

/**
 * What a correct client does after the last call of a flow, one sentence for each step.
 * @param options.now milliseconds since the UNIX epoch
 */
export function nextSteps(
  flow: Flow,
  { lifetimes, now }: { readonly lifetimes: Lifetimes; readonly now: number },
): string[] {
  const { endpoint, status } = flow.calls.at(-1) ?? {}
  if (endpoint === undefined || status === undefined) return []
  if (status === 0) {
    return [
      'No response came: the connection was closed. Repeat the call once, then tell the user to try again later.',
    ]
  }
  if (endpoint === ENDPOINTS.upgrade.number) {
    return status === 200
      ? ['Start a Use flow again: the age key now holds the new age signal.']
      : ['Correct the call by its findings and repeat it: a token can be used again until it ends.']
  }
  const { accessToken, requestUri } = lifetimes
  if (endpoint === ENDPOINTS.token.number) {
    if (status !== 200)
      return ['Start the Use flow again: a code works once, for its own client, for a short time.']
    return [
      `Verify the age in another way, then call E5 with the access token within ${accessToken} seconds.`,
      'Keep the token on the server, and send it as a bearer token in JSON calls only.',
    ]
  }
  const overdue = status < 400 && findOverdue(flow, { now, requestUriSeconds: requestUri })
  if (endpoint === ENDPOINTS.par.number) {
    if (overdue)
      return [
        `The request_uri has expired after ${overdue.seconds} seconds: push the request again.`,
      ]
    return status === 201
      ? [
          `Send the browser to E3 with this request_uri within ${requestUri} seconds, and with the same redirect_uri.`,
        ]
      : ['Correct the request by its findings and push it again.']
  }
  const callback = callbackOf(flow)
  if (callback) return afterCallback(flow, callback, lifetimes)
  if (status >= 400) {
    return [
      'Nothing came back to the app: the user saw an error page. Correct the request by its findings.',
    ]
  }
  if (overdue) {
    return [
      `The request has expired: the user did not answer within ${overdue.seconds} seconds. Begin the flow again.`,
    ]
  }
  return ['Wait: the user has not come back yet. An app also copes with one who never does.']
}

/** Whether the request before the last callback broke a rule. */
function isAtFault({ calls }: Flow): boolean {
  const answered = calls.findLast((call) => callbackOf({ calls: [call] }) !== undefined)
  return answered?.findings.some(({ level }) => level === 'error') === true
}

function afterCallback(
  flow: Flow,
  callback: Readonly<Record<string, string>>,
  { code }: Lifetimes,
): string[] {
  const compare =
    'Compare state with the one that the session kept; when they differ, go no further.'
  if (callback['error'] !== undefined) {
    if (isAtFault(flow))
      return [compare, 'Correct the request by its findings: it would be refused again.']
    return [
      compare,
      'There is no result: tell the user, and offer to try again or another way to verify the age.',
    ]
  }
  if (flow.flow === 'create')
    return [compare, 'A callback without error is a success: nothing else is sent.']
  if (callback['create_requested'] !== undefined) {
    return [
      compare,
      'Verify the age in another way, then push a Create request (E2) and send the browser to E3.',
    ]
  }
  const validate =
    'On the server, validate the id_token: signature by the key set, iss, aud, exp, nonce, req_claims_hash. Only then read age_thresholds.'
  if (callback['code'] === undefined) return [compare, validate]
  return [
    compare,
    validate,
    `Every age was false and a code came: compare c_hash, then exchange the code at E4 within ${code} seconds to upgrade the age key.`,
  ]
}

/**
 * What an overdue flow is waiting for, and for how many seconds its request was valid; `undefined`
 * when the flow is not overdue or has ended.
 * @param options.now milliseconds since the UNIX epoch
 */
export function findOverdue(
  { calls, ended_at: endedAt }: ListedFlow,
  { now, requestUriSeconds }: { readonly now: number; readonly requestUriSeconds: number },
) {
  const last = calls.at(-1)
  if (!last || endedAt !== undefined) return undefined
  const isPushed = last.endpoint === ENDPOINTS.par.number
  const seconds = isPushed ? requestUriSeconds : TRANSACTION_SECONDS
  if (now < Date.parse(last.at) + seconds * 1000) return undefined
  return { missing: isPushed ? ('browser' as const) : ('answer' as const), seconds }
}
