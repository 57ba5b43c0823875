import { type Decision, decideByChoice } from '../../sandbox/decision/decide.ts'
import { type Pending, takePending } from '../../sandbox/decision/pending.ts'
import { tenantAt } from '../../sandbox/tenants/tenant.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import { requireDriver } from '../pages/driving.ts'
import {
  endingsPath,
  type HostedForm,
  notPending,
  readHostedForm,
  requirePending,
} from '../pages/form.ts'
import type { HostedRequest } from '../pages/shell.ts'
import { adviseOnFont } from './authorization-request.ts'
import { concludeRequest } from './callback-answer.ts'

/** Serves the form that a user submits to decide. A refused choice leaves the request pending. */
export const serveChoice =
  ({ version, guard }: Pick<HttpHost, 'version' | 'guard'>): Handler =>
  async (request, tenant) => {
    const form = readHostedForm(request, guard)
    const pending = await requirePending(form, tenant)

    const decision = await decideByForm(form, pending, tenant)
    if (decision.laterOutcome) requireDriver({ request, guard, framed: form.framed })

    // When two forms arrive at once, only one of them receives the transaction.
    if (!(await takePending(form.transaction, tenant.provider)))
      throw await notPending(form.transaction, tenant)

    const { transaction, baseUrl, findings } = pending
    const font = form.lacksFont ? await adviseOnFont(transaction.presentation, tenant) : []
    const { chosenLanguage, framed, lacksPermission } = form
    const hosted: HostedRequest = {
      request,
      tenant: tenantAt(tenant, baseUrl),
      version,
      guard,
      chosenLanguage,
      framed,
      lacksPermission,
    }
    return concludeRequest(transaction, decision, { hosted, findings: [...findings, ...font] })
  }

/**
 * Decides by the choice in the form.
 * @throws Refusal for a choice that this request does not allow, with the path back to the endings
 */
async function decideByForm(
  form: HostedForm,
  { transaction }: Pending,
  tenant: HostedRequest['tenant'],
): Promise<Decision> {
  const persona = form.field('persona') ?? form.field('with_persona')
  const choice = { persona, outcome: form.field('outcome') }
  try {
    const decision = await decideByChoice(transaction, choice, tenant)
    if (decision) return decision
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const backPath = endingsPath(`${tenant.basePath}/v1/oidc/${transaction.flow}`, form)
    throw error.with({ backPath })
  }
  throw Refusal.invalidRequest('choice: send persona or outcome.', { title: 'Nothing was chosen' })
}
