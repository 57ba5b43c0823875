import { type Decision, decide, decideEnded, runClockSteps } from '../../sandbox/decision/decide.ts'
import { beginCreate } from '../../service/oidc/create.ts'
import type { UnusableRequestUri } from '../../service/oidc/use.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import type { Visit } from '../pages/shell.ts'
import { advise, askUser, authorizationCall, readAuthorization } from './authorization-request.ts'
import { concludeRequest, refuseRequest } from './callback-answer.ts'

/** E3: the browser brings the `request_uri` of a pushed Create authorization request. */
export const createCreate =
  ({ version, guard }: Pick<HttpHost, 'version' | 'guard'>): Handler =>
  async (request, tenant, reserveFlow) => {
    const visit: Visit = { request, tenant, version, guard }
    const { query, requested, known } = await readAuthorization('create', visit)

    const beginning = await beginCreate(query, tenant.provider)
    // The request breaks a rule: the relying party receives the error.
    if (beginning.kind === 'refused') {
      const ended = beginning.unusable && (await endUnusable(beginning.unusable, visit))
      return refuseRequest(beginning, { flow: 'create', visit, reserveFlow, ...ended })
    }

    const { transaction } = beginning
    const findings = [...beginning.findings, ...(await advise(transaction.presentation, tenant))]
    const call = authorizationCall(transaction, visit)
    const decision = await decide(transaction, call, { requested, known, tenant })
    // Nothing decides the request, so a page asks the user.
    if (!decision) return askUser(transaction, { visit, findings })
    // The flow ends at once, without a page.
    return concludeRequest(transaction, decision, { visit, findings })
  }

/** A `request_uri` that expired or was used fulfils an expectation of exactly this outcome. */
async function endUnusable(
  { reason, ...pushed }: UnusableRequestUri,
  visit: Visit,
): Promise<{ endedAs: string; decision: Decision | undefined }> {
  const { tenant } = visit
  const endedAs = `request_uri.${reason}`
  const call = authorizationCall({ flow: 'create', ...pushed }, visit)
  const decision = await decideEnded({ ...call, endedAs }, tenant)
  if (decision) await runClockSteps(decision, tenant)
  return { endedAs, decision }
}
