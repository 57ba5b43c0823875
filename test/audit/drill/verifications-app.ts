import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createRelyingParty } from '../../support/relying-party.ts'
import type { Changes } from '../../support/requests.ts'
import type { TestSandbox } from '../../support/sandbox.ts'
import { routes, startWebApp, type WebApp, type WebHandler } from '../../support/web-app.ts'

/** An app that receives id_tokens and is asked for their `sub`. */
export interface VerificationsApp extends WebApp {
  /** A user proves an age: the answer of the sandbox is brought to the app. The `sub` of the id_token, also of one that it refuses. */
  prove(changes?: Changes): Promise<string>
  /** The `sub`s that it kept. */
  readonly kept: Set<string>
}

/** How an app answers `/admin/verifications?sub=...`. */
export type Answering = (asked: string, kept: ReadonlySet<string>, ...call: Parameters<WebHandler>) => unknown

const json = (...[, response]: Parameters<WebHandler>) => ({
  send: (status: number, value: unknown) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value)),
})

/** 200 with what it holds, and 404 without. */
export const honest: Answering = (asked, kept, ...call) =>
  kept.has(asked) ? json(...call).send(200, { verifications: [{ sub: asked }] }) : json(...call).send(404, {})

/** 200 in any case, with a list that may be empty. */
export const lists: Answering = (asked, kept, ...call) =>
  json(...call).send(
    200,
    [...kept].filter((sub) => sub === asked).map((sub) => ({ sub })),
  )

/** Says yes to everything. */
export const agrees: Answering = (asked, _kept, ...call) => json(...call).send(200, { sub: asked, known: true })

/** Starts an app for one test, which verifies each id_token and keeps its `sub`. With `keeps: 'last'` it keeps one alone. */
export async function startVerificationsApp(
  sandbox: TestSandbox,
  answering: Answering = honest,
  { keeps = 'all', clientId = 'ak_test_sandbox' }: { keeps?: 'all' | 'last' | 'none'; clientId?: string } = {},
): Promise<VerificationsApp> {
  const keys = createRemoteJWKSet(new URL(`${sandbox.baseUrl}/.well-known/jwks.json`))
  const kept = new Set<string>()
  const app = await startWebApp(
    routes({
      async '/callback'({ path }, response) {
        const token = new URL(path, app.url).searchParams.get('id_token') ?? ''
        try {
          const { payload } = await jwtVerify(token, keys, { audience: clientId })
          if (keeps === 'last') kept.clear()
          if (keeps !== 'none') kept.add(payload.sub ?? '')
          response.end('Welcome.')
        } catch {
          response.writeHead(400).end('This is no proof.')
        }
      },
      '/admin/verifications'(request, response) {
        const sub = new URL(request.path, app.url).searchParams.get('sub') ?? ''
        answering(sub, kept, request, response)
      },
    }),
  )
  const party = createRelyingParty(sandbox, { clientId })
  return {
    ...app,
    kept,
    async prove(changes) {
      const redirect_uri = `${app.url}/callback`
      const { address, params } = await party.use({ redirect_uri, response_mode: 'query', ...changes })
      await fetch(`${address}?${new URLSearchParams(params)}`)
      const [, payload = ''] = (params['id_token'] ?? '').split('.')
      return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}').sub
    },
  }
}
