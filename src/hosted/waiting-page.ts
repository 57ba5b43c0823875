import { type Html, html } from '../http/html/html.ts'
import type { Shell } from '../http/html/layout.ts'
import type { CreateTransaction } from '../oidc/create.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import type { Brand } from '../oidc/rules/profile.ts'
import type { UseTransaction } from '../oidc/use.ts'
import type { ReplayableAnswer } from '../sandbox/outcomes/tamper-tools.ts'
import type { DrivingBar } from './driving/driving-bar.ts'
import type { Embedding } from './embedding/embedding.ts'
import type { ClientBadge } from './logo.ts'

/** An authorization request that waits for its user, with what the page of either flow shows. */
export interface WaitingPage<
  Transaction extends UseTransaction | CreateTransaction = UseTransaction | CreateTransaction,
> {
  readonly shell: Shell
  /** Names the transaction: each form of the page posts it. */
  readonly id: string
  readonly transaction: Transaction
  /** Advice on the request. */
  readonly findings: readonly Finding[]
  /** Advice that applies when this device lacks the requested font. */
  readonly fontFindings?: readonly Finding[]
  /** The path of the flow, with the prefix of the tenant: `/v1/oidc/use`. The forms of the page post below this path. */
  readonly path: string
  readonly client: ClientBadge
  /** The brand word of the profile, for the name of the upgrade scope. */
  readonly brand: Brand
  readonly embedding: Embedding
  /** The time of the sandbox in epoch milliseconds. */
  readonly now: number
  /** The answer of an earlier flow of the client that can be sent again. */
  readonly earlier?: ReplayableAnswer | undefined
  /** Why the visitor may not drive the sandbox; absent for a visitor who may. */
  readonly drivingBar?: DrivingBar | undefined
  /** The user continues where no passkey works. */
  readonly continued?: boolean | undefined
  /** The language that was chosen on the page, which outranks that of the request. */
  readonly chosenLanguage?: string | undefined
}

/** The hidden fields of a form: the request, and what was chosen on the page before. */
export function renderPendingFields({
  id,
  chosenLanguage,
  continued,
}: Pick<WaitingPage, 'id' | 'chosenLanguage' | 'continued'>): Html {
  return html`<input type="hidden" name="transaction" value="${id}">${
    chosenLanguage !== undefined && html`<input type="hidden" name="chosen_language" value="${chosenLanguage}">`
  }${continued && html`<input type="hidden" name="continued" value="true">`}`
}
