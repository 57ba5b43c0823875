import { randomBytes } from 'node:crypto'

/** The relying party that the sandbox itself plays in its demo. */
export const DEMO_CLIENT_ID = 'sandbox-demo'

/** Where the demo of the sandbox at `baseUrl` takes its callbacks. */
export const demoCallback = (baseUrl: string) => `${baseUrl}/_sandbox/demo/callback`

/** Known only to this process, which makes the server calls of its demo to itself: replicas need not agree on it. */
const clientSecret = randomBytes(16).toString('base64url')

/** A client of its own, so that the demo works whatever the config declares; it may return to its own callback only. */
export const demoClient = (baseUrl: string) => ({
  clientId: DEMO_CLIENT_ID,
  clientSecret,
  name: 'Demo shop',
  redirectUris: [demoCallback(baseUrl)],
})
