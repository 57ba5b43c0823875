import type { AgeSignal } from '../age/signal.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { CreateTransaction } from '../oidc/create.ts'
import { renderCreate, type SignalView } from './create-page.ts'
import { type HostedContext, hostedView } from './view.ts'

/** The page of E3, filled for one request: what would be saved, and who may hold it. */
export async function createPage(transaction: CreateTransaction, context: HostedContext): Promise<RenderedPage> {
  const personas = await context.visit.tenant.personas.list()
  return renderCreate({
    ...(await hostedView(transaction, context)),
    signals: transaction.signals.map(signalView),
    personas: personas.map(({ name, title }) => ({ name, title })),
  })
}

function signalView({ method, age, verified_at: verifiedAt, provenance, attributes = {} }: AgeSignal): SignalView {
  return {
    method,
    age,
    verifiedAt,
    provenance,
    attributes: Object.entries(attributes).map(([name, value]) => `${name}: ${value}`),
  }
}
