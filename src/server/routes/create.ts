import { type Decision, decide, decideEnded, runClockSteps } from '../../sandbox/decision/decide.ts'
import { beginCreate } from '../../service/oidc/create.ts'
import type { UnusableRequestUri } from '../../service/oidc/use.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import type { HostedRequest } from '../pages/shell.ts'
import { advise, askUser, authorizationCall, readAuthorization } from './authorization-request.ts'
import { concludeRequest, refuseRequest } from './callback-answer.ts'

/** E3: the browser sends the `request_uri` of a pushed Create authorization request (RFC 9126). */
export const serveCreate =
  ({ version, guard }: Pick<HttpHost, 'version' | 'guard'>): Handler =>
  async (request, tenant, reserveFlow) => {
    const hosted: HostedRequest = { request, tenant, version, guard }
    const { query, requested, known } = await readAuthorization('create', hosted)

    const beginning = await beginCreate(query, tenant.provider)
    // The request breaks a rule: the relying party receives the error.
    if (beginning.kind === 'refused') {
      const ended = beginning.unusable && (await endUnusable(beginning.unusable, hosted))
      return refuseRequest(beginning, { flow: 'create', hosted, reserveFlow, ...ended })
    }

    const { transaction } = beginning
    const findings = [...beginning.findings, ...(await advise(transaction.presentation, tenant))]
    const call = authorizationCall(transaction, hosted)
    const decision = await decide(transaction, call, { requested, known, tenant })
    // Nothing decides the request, so a page asks the user.
    if (!decision) return askUser(transaction, { hosted, findings })
    // The flow ends at once, without a page.
    return concludeRequest(transaction, decision, { hosted, findings })
  }

/** Settles the expectation of exactly this outcome: a `request_uri` that is expired or used. */
async function endUnusable(
  { reason, ...pushed }: UnusableRequestUri,
  hosted: HostedRequest,
): Promise<{ endedAs: string; decision: Decision | undefined }> {
  const { tenant } = hosted
  const endedAs = `request_uri.${reason}`
  const call = authorizationCall({ flow: 'create', ...pushed }, hosted)
  const decision = await decideEnded({ ...call, endedAs }, tenant)
  if (decision) await runClockSteps(decision, tenant)
  return { endedAs, decision }
}
