import { type Pending, peekPending, wasAnswered } from '../../sandbox/decision/pending.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { decodePairs } from '../../service/oidc/request/parameters.ts'
import { type ControlGuard, refuseReboundHost } from '../http/guard/guard.ts'
import type { Incoming } from '../http/incoming.ts'

const CHOICE = {
  number: 'choice',
  method: 'post',
  caller: 'browser',
  correlation: 'transaction',
  beginsFlow: false,
} as const

/** The endpoints of the forms with which a user decides. They continue the flow of the request. */
export const CHOICE_ENDPOINTS = {
  use: { ...CHOICE, flow: 'use', path: '/v1/oidc/use/choice', title: 'Choice on the Use page' },
  create: {
    ...CHOICE,
    flow: 'create',
    path: '/v1/oidc/create/choice',
    title: 'Choice on the Create page',
  },
} as const satisfies Readonly<Record<'use' | 'create', Endpoint>>

/**
 * A submitted form of a hosted page. It contains no redirect target: the target stays on the server
 * with the transaction.
 */
export interface HostedForm {
  readonly transaction: string
  /** The language that was chosen on the page. */
  readonly chosenLanguage: string | undefined
  /** A script on the page found itself in an iframe. */
  readonly framed: boolean
  /**
   * A script on the page found that this iframe lacks the permission for passkeys. The script is
   * not trusted, so the value can only prevent that an age key is saved.
   */
  readonly lacksPermission: boolean
  /** A script on the page found that the device lacks the requested font. */
  readonly lacksFont: boolean
  /** The user continued although passkeys do not work there. */
  readonly continued: boolean
  /** The last value of a field; `undefined` when it is missing or empty. */
  field(name: string): string | undefined
}

/**
 * Reads a form of a hosted page.
 * @throws Refusal 403 for a foreign host name, 400 without a transaction
 */
export function readHostedForm(request: Incoming, guard: ControlGuard): HostedForm {
  refuseReboundHost(request, guard)
  const fields = new Map(decodePairs(Buffer.from(request.body).toString('utf8')))
  const field = (name: string) => fields.get(name) || undefined
  const transaction = field('transaction')
  if (transaction === undefined) {
    throw Refusal.invalidRequest('transaction: it is missing from the form.', {
      title: 'This form is incomplete',
      restartHint: RESTART_HINT,
    })
  }
  return {
    transaction,
    chosenLanguage: field('chosen_language'),
    framed: field('framed') === 'true',
    lacksPermission: field('framed') === 'true' && field('permission') === 'denied',
    lacksFont: field('font') === 'missing',
    continued: field('continued') === 'true',
    field,
  }
}

/**
 * The path of the page with all endings. A parameter says whether the form is in a frame, because
 * the headers of the next request may not say so.
 * @param path the path of the flow, with the prefix of the tenant: `/v1/oidc/use`
 */
export function endingsPath(
  path: string,
  {
    transaction,
    chosenLanguage,
    continued,
    framed,
  }: Pick<HostedForm, 'transaction' | 'chosenLanguage' | 'continued' | 'framed'>,
): string {
  const query = new URLSearchParams({
    transaction,
    ...(chosenLanguage === undefined ? {} : { chosen_language: chosenLanguage }),
    ...(continued ? { continued: 'true' } : {}),
    ...(framed ? { framed: 'true' } : {}),
  })
  return `${path}/endings?${query}`
}

const RESTART_HINT = 'Go back to the app and start again: each request is answered once.'

/**
 * Finds the pending request that the form names.
 * @throws Refusal 410 when the transaction is answered, unknown or expired
 */
export async function requirePending(
  { transaction }: Pick<HostedForm, 'transaction'>,
  tenant: Tenant,
): Promise<Pending> {
  const pending = await peekPending(transaction, tenant.provider)
  if (!pending) throw await notPending(transaction, tenant)
  return pending
}

/** Words the refusal (410) of a form whose transaction is answered, unknown or expired. */
export async function notPending(transaction: string, tenant: Tenant): Promise<Refusal> {
  const message = (await wasAnswered(transaction, tenant.provider))
    ? 'transaction: it was answered already, here or in another window. The first answer counts, and it went to the app.'
    : 'transaction: unknown or expired. It has waited for more than an hour, or the sandbox was reset or restarted; start the flow again.'
  return Refusal.byHttp(410, message, { title: 'This request is over', restartHint: RESTART_HINT })
}
