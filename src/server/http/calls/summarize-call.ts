import { flowLink } from '../../../sandbox/journal/flow-link.ts'
import type { Tenant } from '../../../sandbox/tenants/tenant.ts'
import type { Endpoint } from '../../../service/oidc/endpoints.ts'
import { leadingFinding } from '../../../service/oidc/rules/finding.ts'
import type { Answer, CallSummary } from '../handler.ts'
import type { Incoming } from '../incoming.ts'
import { sentStatus } from '../reply.ts'
import { clientIn } from './record-call.ts'

/** Summarizes a call for the request log. Secrets are masked. */
export function summarizeCall(
  incoming: Incoming,
  {
    tenant,
    answer,
    endpoint,
  }: { readonly tenant: Tenant; readonly answer: Answer; readonly endpoint?: Endpoint | undefined },
  { flow, durationMs }: { flow: string | undefined; durationMs: number },
): CallSummary {
  const { decision, holder, forcedOutcome, findings = [] } = answer
  const link = flow === undefined ? undefined : flowLink(flow, tenant.provider.baseUrl)
  const known = {
    endpoint: endpoint?.number,
    flow: link?.id,
    flowUrl: link?.url,
    client: endpoint && clientIn(incoming),
    persona: holder ?? decision?.persona?.name,
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

/** Why a call was refused; empty for a call with advice only. */
function reasonOf({
  error,
  findings = [],
  callback,
}: Answer): Pick<CallSummary, 'error' | 'rule' | 'message'> {
  const leading = leadingFinding(findings)
  if (leading?.level === 'error') {
    const code = error?.code ?? callback?.params.find(([name]) => name === 'error')?.[1]
    return {
      ...(code === undefined ? {} : { error: code }),
      rule: leading.rule,
      message: leading.message,
    }
  }
  return error ? { error: error.code, message: error.description } : {}
}
