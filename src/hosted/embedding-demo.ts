import { page } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { shellOf } from '../http/shell.ts'
import { useIssuer } from '../oidc/provider.ts'
import { renderEmbedding } from './embedding-demo-page.ts'

/** `GET /_sandbox/embedding`: a right and a wrong iframe side by side. */
export const createEmbeddingRoute =
  ({ version, shownClient }: Pick<HttpHost, 'version' | 'shownClient'>): Handler =>
  (_request, tenant) => {
    const { provider } = tenant
    const query = new URLSearchParams({
      scope: 'openid',
      response_type: 'id_token',
      client_id: shownClient.clientId,
      redirect_uri: `${new URL(provider.baseUrl).origin}/`,
      state: 'embedding',
      nonce: 'embedding',
      claims: JSON.stringify({ age_thresholds: [13, 18] }),
    })
    // The path, not the base URL: the frame has the origin under which the browser knows this page.
    const useUrl = `${new URL(useIssuer(provider)).pathname}?${query}`
    const rendered = renderEmbedding({ shell: shellOf(tenant, version), useUrl })
    return { reply: page(200, rendered, { frames: true }) }
  }
