import { createRemoteJWKSet, jwtVerify } from 'jose'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startAppServer } from '../app-server.ts'
import { auditLibrary } from './audit-library.ts'
import { installedVersion } from './installed-version.ts'
import { createStepApp } from './step-app.ts'

auditLibrary({
  name: 'jose',
  library: 'jose',
  version: installedVersion('jose'),
  uses: '`createRemoteJWKSet`, and `jwtVerify` with `issuer`, `audience` and `algorithms`, as the app of [integration-express.md](integration-express.md) before its own checks',
  left_out: {
    'use/callback.*': 'jose reads a token; the app reads the callback by itself',
    'family:error': 'the same',
  },
  note: 'It is no client library: `state`, `nonce` and errors are left to the app.',
  start: startApp,
  startsFresh: true,
})

async function startApp({ baseUrl, client }: Sandbox): Promise<string> {
  const { url, serve } = await startAppServer()
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
  const issuer = `${baseUrl}/v1/oidc/use`
  serve(
    createStepApp({
      async useUrl(sent) {
        const request = {
          ...sent,
          client_id: client.clientId,
          response_type: 'id_token',
          response_mode: 'query',
          redirect_uri: `${url}/callback`,
          claims: JSON.stringify({ age_thresholds: [18] }),
        }
        return `${issuer}?${new URLSearchParams(request)}`
      },
      async readAnswer({ searchParams }) {
        const token = searchParams.get('id_token') ?? ''
        const algorithms = ['RS256', 'ES256']
        return (await jwtVerify(token, keys, { issuer, audience: client.clientId, algorithms })).payload
      },
    }),
  )
  return `${url}/verify`
}
