import type { Decisions } from '../../oidc/decisions.ts'
import { bodyOf, withJson, withoutBody, withText } from '../outcomes/reply-changes.ts'
import type { ServerReply } from '../outcomes/server-reply.ts'

type ErrorForm = Pick<Decisions, 'errorBody' | 'errorDescription' | 'clientErrorStatus'>

/** The reply to a refused server-to-server call, in the form that the readings want. */
export function inErrorForm(
  reply: ServerReply,
  { errorBody, errorDescription, clientErrorStatus }: ErrorForm,
): ServerReply {
  const { error, error_description: description, ...others } = bodyOf(reply)
  if (typeof error !== 'string' || reply.status < 400 || reply.status >= 500) return reply
  const described = errorDescription === 'present' && description !== undefined
  const answer = error === 'invalid_client' ? withClientStatus(reply, clientErrorStatus) : reply
  const { 'Content-Type': _type, ...headers } = answer.headers
  switch (errorBody) {
    case 'empty':
      return withoutBody({ ...answer, headers })
    case 'text': {
      const text = described ? `${error}: ${String(description)}` : error
      return withText({ ...answer, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } }, text)
    }
    case 'plain':
      return withJson(answer, { error, ...(described ? { error_description: description } : {}) })
    case 'findings':
      return withJson(answer, { error, ...(described ? { error_description: description } : {}), ...others })
  }
}

/** RFC 9110 section 15.5.2: a challenge belongs to 401. */
function withClientStatus(reply: ServerReply, status: ErrorForm['clientErrorStatus']): ServerReply {
  if (status === 401) return reply
  const { 'WWW-Authenticate': _challenge, ...headers } = reply.headers
  return { ...reply, status, headers }
}
