import type { Shell } from '../http/html/layout.ts'
import type { CreateTransaction } from '../oidc/create.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import type { UseTransaction } from '../oidc/use.ts'
import { FALLBACK_PERSONA } from '../sandbox/decision/decide.ts'
import { impossibility } from '../sandbox/decision/impossibility.ts'
import { outcomesFor } from '../sandbox/outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { EmbeddingView } from './embedding-notice.ts'
import type { OutcomeOption } from './ending-form.ts'
import { clientView } from './logo.ts'
import type { Visit } from './shell.ts'

/** What a hosted page is made of, beside the request that waits. */
export interface HostedContext {
  readonly id: string
  readonly findings: readonly Finding[]
  readonly shell: Shell
  readonly embedding: EmbeddingView
  readonly visit: Visit
}

/** What the pages of both flows show. */
export async function hostedView(
  transaction: UseTransaction | CreateTransaction,
  { id, findings, shell, embedding, visit }: HostedContext,
) {
  const { tenant, chosenLanguage, clockMoved = false } = visit
  const path = `${tenant.basePath}/v1/oidc/${transaction.flow}`
  return {
    shell,
    findings,
    embedding,
    transaction: id,
    ...(chosenLanguage === undefined ? {} : { chosenLanguage }),
    action: `${path}/choice`,
    languageAction: `${path}/language`,
    clockAction: `${path}/clock`,
    sandboxTime: new Date(tenant.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    client: await clientView(tenant, transaction.clientId),
    outcomes: outcomeOptions(transaction),
    defaultPersona: FALLBACK_PERSONA,
    endingsOpen: clockMoved,
  }
}

/** The endings that this request can have: its own, and those of the calls to which its code leads. */
const outcomeOptions = (transaction: UseTransaction | CreateTransaction): OutcomeOption[] =>
  outcomesFor(transaction.flow)
    .filter((outcome) => concerns(outcome, transaction) && !impossibility(outcome, transaction))
    .map((outcome) => ({
      name: outcome.name,
      summary: outcome.summary,
      group: groupTitle(outcome),
      mustBeAccepted: outcome.correctClient === 'accept',
    }))

/** The page leaves out what another call decides: a script or an expectation says it before that call. */
function concerns({ flow }: Outcome, transaction: UseTransaction | CreateTransaction): boolean {
  if (flow === transaction.flow) return true
  return transaction.flow === 'use' && transaction.upgrade && (flow === 'token' || flow === 'upgrade')
}

const CALL_TITLES: Readonly<Record<OutcomeFlow, string>> = {
  use: 'Endings',
  create: 'Endings',
  par: 'PAR (E2)',
  token: 'Token (E4)',
  upgrade: 'Upgrade (E5)',
  discovery: 'Discovery (E6)',
  jwks: 'Key set (E6)',
}
const PREFIX_TITLES: Readonly<Record<string, string>> = { id_token: 'ID token', callback: 'Callback' }

/** By the call that it concerns or, among the endings of a flow, by what stands before the last dot in its name. */
function groupTitle({ flow, name }: Outcome): string {
  const dot = name.lastIndexOf('.')
  if (dot < 0 || CALL_TITLES[flow] !== 'Endings') return CALL_TITLES[flow]
  const [prefix = '', ...rest] = name.slice(0, dot).split('.')
  return [PREFIX_TITLES[prefix] ?? prefix, ...rest].join(': ')
}
