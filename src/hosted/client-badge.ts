import { type Html, html } from '../http/html/html.ts'

/** The relying party as the hosted pages show it. */
export interface ClientView {
  readonly name: string
  /** Where the sandbox serves the client's logo; its initial stands in when absent. */
  readonly logoPath?: string
}

/** The logo of the relying party, or its initial. The name stands in the heading beside it. */
export function renderClientBadge(client: ClientView): Html {
  if (client.logoPath !== undefined) {
    return html`<img class="client-logo" src="${client.logoPath}" alt="" width="48" height="48">`
  }
  const [initial = '?'] = client.name.trim()
  return html`<span class="client-logo initial" aria-hidden="true">${initial.toUpperCase()}</span>`
}
