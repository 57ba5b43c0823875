import { isJsonObject } from '../../age/json-object.ts'
import { shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { decodeIdToken } from '../../http/html/id-token-table.ts'
import { parseJson } from '../../oidc/request/json.ts'

/** Parameters of one call. */
const MAX_PARAMETERS = 30

/** Named values, a row each. JSON is indented, and an id_token is decoded. */
export function renderValues(values: readonly (readonly [name: string, value: unknown])[]): Html {
  const shown = values.slice(0, MAX_PARAMETERS)
  return html`<dl class="settings">${shown.map(
    ([name, value]) =>
      html`<div><dt><code>${shortened(name, 100)}</code></dt><dd>${renderValue(name, value)}</dd></div>`,
  )}</dl>
${shown.length < values.length && html`<p class="hint">The first ${shown.length} of ${values.length}.</p>`}`
}

function renderValue(name: string, value: unknown): Html {
  if (name === 'id_token' && typeof value === 'string') {
    const { payload } = decodeIdToken(value)
    return html`<details class="raw"><summary>Its payload, decoded</summary>
<pre><code>${indented(payload)}</code></pre></details>`
  }
  const json = typeof value === 'string' ? jsonIn(value) : value
  if (json !== undefined && typeof json === 'object') return html`<pre><code>${indented(json)}</code></pre>`
  return html`<code>${shortened(String(value))}</code>`
}

/** An object or array, if the text is JSON of one. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  const json = parseJson(text)
  return json.ok && (isJsonObject(json.value) || Array.isArray(json.value)) ? json.value : undefined
}

const indented = (value: unknown) => shortened(JSON.stringify(value, undefined, 2))
