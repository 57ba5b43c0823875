import { type Html, html } from '../http/html/html.ts'

/** An authorization request that waits on the server, as every form of its page names it. */
export interface PendingView {
  readonly transaction: string
  /** The language that was chosen on this very page: it outranks the one that the request asks for. */
  readonly chosenLanguage?: string
}

/** The hidden fields with which a form says which request it is about: `transaction`, and `chosen_language` once there is one. */
export function renderPendingFields({ transaction, chosenLanguage }: PendingView): Html {
  return html`<input type="hidden" name="transaction" value="${transaction}">${
    chosenLanguage !== undefined && html`<input type="hidden" name="chosen_language" value="${chosenLanguage}">`
  }`
}
