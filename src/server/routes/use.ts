import { decide } from '../../sandbox/decision/decide.ts'
import { beginUse } from '../../service/oidc/use.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import type { HostedRequest } from '../pages/shell.ts'
import { advise, askUser, authorizationCall, readAuthorization } from './authorization-request.ts'
import { concludeRequest, refuseRequest } from './callback-answer.ts'

/** E1: the browser sends a Use authorization request. */
export const serveUse =
  ({ version, guard }: Pick<HttpHost, 'version' | 'guard'>): Handler =>
  async (request, tenant, reserveFlow) => {
    const hosted: HostedRequest = { request, tenant, version, guard }
    const { query, requested, known } = await readAuthorization('use', hosted)

    const beginning = beginUse(query, tenant.provider)
    // The request breaks a rule: the relying party receives the error.
    if (beginning.kind === 'refused')
      return refuseRequest(beginning, { flow: 'use', hosted, reserveFlow })

    const { transaction } = beginning
    const findings = [...beginning.findings, ...(await advise(transaction.presentation, tenant))]
    const call = authorizationCall(transaction, hosted)
    const decision = await decide(transaction, call, { requested, known, tenant })
    // Nothing decides the request, so a page asks the user.
    if (!decision) return askUser(transaction, { hosted, findings })
    // The flow ends at once, without a page.
    return concludeRequest(transaction, decision, { hosted, findings })
  }
