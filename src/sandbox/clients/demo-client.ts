import { randomBytes } from 'node:crypto'

/** The client_id of the demo, the relying party that the sandbox itself plays. */
export const DEMO_CLIENT_ID = 'sandbox-demo'

/** The redirect URI of the demo of the sandbox at `baseUrl`. */
export const demoCallback = (baseUrl: string) => `${baseUrl}/_sandbox/demo/callback`

/** Only this process knows the secret: the demo calls its own process, so replicas need not share the secret. */
const clientSecret = randomBytes(16).toString('base64url')

/** The client of the demo. It works whatever the config declares, and returns only to its own redirect URI. */
export const demoClient = (baseUrl: string) => ({
  clientId: DEMO_CLIENT_ID,
  clientSecret,
  name: 'Demo shop',
  redirectUris: [demoCallback(baseUrl)],
})
