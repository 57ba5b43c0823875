import { isJsonObject } from '../../../service/age/json-object.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { renderInstant, renderTable, shortened } from './elements.ts'
import { type Html, html } from './html.ts'

/**
 * Decodes the header and payload of a compact JWT without verifying it. A part that cannot be
 * decoded becomes an empty object.
 */
export function decodeIdToken(token: string) {
  const [header = '', payload = ''] = token.split('.')
  return { token, header: membersOf(header), payload: membersOf(payload) }
}

function membersOf(part: string): Readonly<Record<string, unknown>> {
  const json = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
  return json.ok && isJsonObject(json.value) ? json.value : {}
}

/**
 * The meaning of each header and payload member for a relying party (specification, "ID token
 * claims").
 */
const MEANINGS: Readonly<Record<string, string>> = {
  alg: 'The algorithm of the signature. Accept the one that discovery announces and no other, never none.',
  kid: 'Which key of the key set signed it. Fetch the key set again once when it is unknown.',
  typ: 'The kind of token.',
  iss: 'The issuer: must be the base URL followed by /v1/oidc/use.',
  aud: 'The audience: must contain your client_id.',
  sub: 'This verification, not the user. Log it: if the age signal is revoked later, it names what is affected.',
  iat: 'When it was issued.',
  exp: 'When it ends, ten minutes later: must lie in the future.',
  nonce: 'Must equal the nonce that your session kept. It ties the token to this browser.',
  age_thresholds: 'The answer: each requested age with true or false.',
  req_claims_hash:
    'Must equal the base64url SHA-256 of the claims text that you sent, byte for byte.',
  c_hash:
    'Must equal the base64url left half of the SHA-256 of the code. It ties the code to this token.',
}

/** Renders header and payload with an explanation of each member, and the token itself. */
export function renderIdToken({ token, header, payload }: ReturnType<typeof decodeIdToken>): Html {
  return html`<section class="card" aria-labelledby="token-title">
<h2 id="token-title">The id_token</h2>
<p class="muted">Decoded here, not verified: your server verifies it.</p>
<h3>Header</h3>
${renderMembers('Header of the id_token', header)}
<h3>Payload</h3>
${renderMembers('Payload of the id_token', payload)}
<details class="raw"><summary>The token as it was sent</summary>
<div class="snippet" data-copy><pre><code data-testid="id-token">${shortened(token, 8_000)}</code></pre></div></details>
</section>`
}

function renderMembers(caption: string, members: Readonly<Record<string, unknown>>): Html {
  const rows = Object.entries(members).map(([name, value]) => ({
    cells: [
      html`<code>${name}</code>`,
      renderValue(name, value),
      Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : 'Not of the specification: ignore it.',
    ],
  }))
  return renderTable(caption, ['Member', 'Value', 'What it is for'], rows)
}

function renderValue(name: string, value: unknown): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isInstant = (name === 'iat' || name === 'exp') && typeof value === 'number'
  const date = isInstant ? new Date(value * 1000) : undefined
  return html`<code>${shortened(text)}</code>${date !== undefined && !Number.isNaN(date.getTime()) && html` <span class="muted">${renderInstant(date.toISOString())}</span>`}`
}
