import { shellWord } from '../../files/shell-word.ts'
import type { HttpHost } from '../../http/handler.ts'
import { renderSnippet } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { endpointUrl } from '../../oidc/endpoints.ts'
import { type Provider, useIssuer } from '../../oidc/provider.ts'

type ShownClient = HttpHost['shownClient']

/** The settings of an app as a `.env` block. */
export function renderPasteBlock(provider: Pick<Provider, 'baseUrl' | 'brand'>, client: ShownClient): Html {
  const settings = [
    ['AGE_BASE_URL', provider.baseUrl],
    ['AGE_CLIENT_ID', client.clientId],
    ['AGE_CLIENT_SECRET', client.clientSecret],
    ['AGE_ISSUER', useIssuer(provider)],
    ['AGE_JWKS_URI', endpointUrl('jwks', provider)],
  ]
  return html`<section class="card" aria-labelledby="paste-title">
<h2 id="paste-title">First paste this into your app</h2>
<p class="muted">Name the variables as your app does. The secret belongs on the server.</p>
${renderSnippet(settings.map(([name, value]) => `${name}=${value}`).join('\n'))}
</section>`
}

/** Three commands that need no page: a health check, an expectation, a pushed Create request. */
export function renderFirstCalls(provider: Pick<Provider, 'baseUrl' | 'brand'>, client: ShownClient): Html {
  const { baseUrl } = provider
  const calls = [
    ['Is it up?', `curl ${shellWord(`${baseUrl}/_sandbox/health`)}`],
    [
      'Be teen-16 in the next Use flow, without the choice page',
      `curl ${shellWord(`${baseUrl}/_sandbox/expectations`)} --json ${shellWord('{"flow":"use","persona":"teen-16"}')}`,
    ],
    [
      'Push a Create request',
      [
        `curl ${shellWord(endpointUrl('par', provider))} -d scope=openid -d response_type=none -d type=age_verification -d state=abc`,
        `--data-urlencode ${shellWord(`client_id=${client.clientId}`)} --data-urlencode ${shellWord(`client_secret=${client.clientSecret}`)}`,
        `--data-urlencode ${shellWord('redirect_uri=http://localhost:3000/callback')}`,
        `--data-urlencode ${shellWord(`authorization_details=${JSON.stringify([EXAMPLE_SIGNAL])}`)}`,
      ].join(' \\\n  '),
    ],
  ] as const
  return html`<section class="card" aria-labelledby="calls-title">
<h2 id="calls-title">Three first calls</h2>
<ol class="calls">
${calls.map(
  ([title, command]) => html`<li><h3>${title}</h3>${renderSnippet(command)}</li>
`,
)}</ol>
</section>`
}

const EXAMPLE_SIGNAL = {
  type: 'age_verification',
  method: 'id_doc_scan',
  age: { date_of_birth: '2000-02-29' },
  verified_at: '2025-01-15',
  verification_id: 'example-1',
  provenance: '/sandbox',
}
