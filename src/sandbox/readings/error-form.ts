import type { CallName } from '../../service/oidc/endpoints.ts'
import type { Policy } from '../../service/oidc/policy.ts'
import { bodyOf, withJson, withoutBody, withText } from '../outcomes/answer-changes.ts'
import type { ServerReply } from '../outcomes/outcome.ts'

/** The constant of the policy that holds the status of a refusal, by call and error code. */
const STATUS_OF: Readonly<
  Record<string, 'clientErrorStatus' | 'refusedTokenStatus' | 'refusedSignalStatus'>
> = {
  'par invalid_client': 'clientErrorStatus',
  'upgrade invalid_token': 'refusedTokenStatus',
  'upgrade invalid_authorization_details': 'refusedSignalStatus',
}

/** Rewrites the reply to a refused server-to-server call in the form that the policy selects. */
export function inErrorForm(call: CallName, refused: ServerReply, form: Policy): ServerReply {
  const { error, error_description: description, ...others } = bodyOf(refused)
  if (typeof error !== 'string' || refused.status < 400 || refused.status >= 500) return refused
  const decision = STATUS_OF[`${call} ${error}`]
  const reply = decision ? { ...refused, status: form[decision] } : refused
  const isDescribed = form.errorDescription === 'present' && description !== undefined
  const body = call === 'upgrade' ? form.upgradeErrorBody : 'json'
  const { 'Content-Type': _type, ...headers } = reply.headers
  if (body === 'empty') return withoutBody({ ...reply, headers })
  if (body === 'text') {
    const text = isDescribed ? `${error}: ${String(description)}` : error
    return withText(
      { ...reply, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } },
      text,
    )
  }
  const described = { error, ...(isDescribed && { error_description: description }) }
  return withJson(reply, form.errorBody === 'plain' ? described : { ...described, ...others })
}
