import type { Endpoint } from '../../oidc/endpoints.ts'
import { basicClientId } from '../../oidc/request/client-auth.ts'
import { leadingFinding } from '../../oidc/rules/finding.ts'
import { flowLink } from '../../sandbox/journal/flow-link.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Answer, CallSummary } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { sentStatus } from '../reply.ts'

interface AnsweredCall {
  readonly incoming: Incoming
  readonly tenant: Tenant
  readonly answer: Answer
  readonly endpoint?: Endpoint | undefined
  readonly flow?: string | undefined
  readonly durationMs: number
}

/** Summarizes a call for the log. */
export function summarizeCall({ incoming, tenant, answer, endpoint, flow, durationMs }: AnsweredCall): CallSummary {
  const { decision, forcedOutcome, findings = [] } = answer
  const link = flow === undefined ? undefined : flowLink(flow, tenant.provider.baseUrl)
  const known = {
    endpoint: endpoint?.number,
    flow: link?.id,
    flowUrl: link?.url,
    client: endpoint && clientIn(incoming),
    persona: decision?.persona?.name,
    outcome: decision?.laterOutcome?.name ?? decision?.outcome.name ?? forcedOutcome?.name,
    ...reasonOf(answer),
  }
  return tenant.clients.mask({
    method: incoming.method,
    path: tenant.basePath + incoming.path,
    status: sentStatus(answer.reply),
    durationMs,
    tenant: tenant.name,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
    findings: findings.map(({ rule }) => rule),
  })
}

/** Why a call was refused; nothing for one that was not, whatever the advice. */
function reasonOf({ error, findings = [], callback }: Answer): Pick<CallSummary, 'error' | 'rule' | 'message'> {
  const leading = leadingFinding(findings)
  if (leading?.level === 'error') {
    const code = error?.code ?? callback?.params.find(([name]) => name === 'error')?.[1]
    return { ...(code === undefined ? {} : { error: code }), rule: leading.rule, message: leading.message }
  }
  return error ? { error: error.code, message: error.description } : {}
}

/** The `client_id` that a call names. */
export function clientIn(incoming: Incoming): string | undefined {
  const { client_id: clientId } = incoming.sentParameters()
  return typeof clientId === 'string' ? clientId : basicClientId(incoming.authorization)
}
