import { shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RecordedResponse } from '../../sandbox/journal/call-record.ts'
import { renderValues } from './values.ts'

/** The answer to a call: a redirect with its address and parameters, a page with its fields, a body as it is. */
export function renderAnswer(response: RecordedResponse): Html {
  switch (response.kind) {
    case 'callback': {
      const { mode, redirectUri, params } = response.callback
      return html`<p>Sent the browser to <code>${shortened(redirectUri, 300)}</code>, with these parameters in its ${mode === 'fragment' ? 'fragment' : 'query'}:</p>
${renderValues(params)}`
    }
    case 'redirect':
      return renderRedirect(response.location)
    case 'page': {
      const { title, params, error } = response
      if (params) {
        return html`<p>Showed the page “${title}”, whose form posts these fields to the app:</p>
${renderValues(Object.entries(params))}`
      }
      return html`<p>Showed the page “${title}”.</p>
${
  error &&
  renderValues([
    ['error', error.code],
    ['error_description', error.description],
  ])
}`
    }
    case 'json':
      return html`<div class="snippet"><pre><code>${shortened(JSON.stringify(response.value, undefined, 2) ?? '')}</code></pre></div>`
    case 'text':
      return response.text === ''
        ? html`<p class="muted">An empty body.</p>`
        : html`<div class="snippet"><pre><code>${shortened(response.text)}</code></pre></div>`
    case 'dropped':
      return html`<p>The connection was closed without a response.</p>`
  }
}

function renderRedirect(location: string): Html {
  const [address = '', query] = location.split(/[?#](.*)/s)
  const sent = [...new URLSearchParams(query ?? '')]
  return html`<p>Sent the browser to <code>${shortened(address, 300)}</code>${sent.length > 0 && ', with these parameters:'}</p>
${sent.length > 0 && renderValues(sent)}`
}
