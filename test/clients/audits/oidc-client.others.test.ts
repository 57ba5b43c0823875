import { createRequire } from 'node:module'
import * as z from 'zod'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { startAppServer } from '../app-server.ts'
import { auditLibrary } from './audit-library.ts'
import { installedVersion } from './installed-version.ts'
import { createStepApp } from './step-app.ts'

/** The library has no types that fit: what is called of it. */
interface OidcClient {
  createSigninRequest(): Promise<{ url: string }>
  processSigninResponse(url: string): Promise<{ profile: unknown }>
}
const callable = <T>() => z.custom<T>((value) => typeof value === 'function')
const exported = z.object({
  OidcClient: callable<new (settings: object) => OidcClient>(),
  WebStorageStateStore: callable<new (settings: object) => object>(),
  InMemoryWebStorage: callable<new () => object>(),
})

auditLibrary({
  name: 'oidc-client',
  library: 'oidc-client 1',
  version: installedVersion('oidc-client'),
  uses: '`createSigninRequest` and `processSigninResponse` of `OidcClient`, which `UserManager` calls, in Node instead of a page, with `metadata` and `signingKeys` given and `response_mode: query`',
  anchor: 'oidc-client',
  left_out: {
    'family:response_mode': 'the app reads the answer by itself where it asked for it, and gives it to the library',
  },
  start: startApp,
})

async function startApp({ baseUrl, client }: Sandbox): Promise<string> {
  const { OidcClient, WebStorageStateStore, InMemoryWebStorage } = exported.parse(
    createRequire(import.meta.url)('oidc-client'),
  )
  const { url, serve } = await startAppServer()
  const authority = `${baseUrl}/v1/oidc/use`
  const read = async (address: string) => (await fetch(address)).json()
  const metadata = await read(`${authority}/.well-known/openid-configuration`)
  const { keys: signingKeys } = z.object({ keys: z.array(z.looseObject({})) }).parse(await read(metadata.jwks_uri))
  const settings = {
    authority,
    metadata,
    signingKeys,
    client_id: client.clientId,
    redirect_uri: `${url}/callback`,
    response_type: 'id_token',
    response_mode: 'query',
    scope: 'openid',
    loadUserInfo: false,
    extraQueryParams: { claims: JSON.stringify({ age_thresholds: [18] }) },
  }
  // It makes state and nonce by itself, and keeps them in the storage of the browser.
  const clients = new Map<string, OidcClient>()
  serve(
    createStepApp({
      async useUrl({ state }) {
        const stateStore = new WebStorageStateStore({ store: new InMemoryWebStorage() })
        const client = new OidcClient({ ...settings, stateStore })
        clients.set(state, client)
        return (await client.createSigninRequest()).url
      },
      async readAnswer({ href }, { state }) {
        const client = clients.get(state)
        if (!client) throw new Error('this browser has sent no request')
        return (await client.processSigninResponse(href)).profile
      },
    }),
  )
  return `${url}/verify`
}
