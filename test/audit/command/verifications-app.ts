import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createRelyingParty } from '../../support/relying-party.ts'
import type { Changes } from '../../support/requests.ts'
import type { TestSandbox } from '../../support/sandbox.ts'
import { routes, startWebApp, type WebApp, type WebHandler } from '../../support/web-app.ts'

/** How an app answers `/admin/verifications?sub=...`. */
export type Answering = (asked: string, kept: ReadonlySet<string>, ...call: Parameters<WebHandler>) => unknown

const json = (status: number, value: unknown, [, response]: Parameters<WebHandler>) =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))

/** 200 with what the app holds, and 404 without. */
export const honest: Answering = (asked, kept, ...call) =>
  kept.has(asked) ? json(200, { verifications: [{ sub: asked }] }, call) : json(404, {}, call)

/** Starts an app for one test, which verifies each id_token and keeps its `sub`, or the last alone. */
export async function startVerificationsApp(
  sandbox: TestSandbox,
  answering: Answering = honest,
  { keeps = 'all' }: { keeps?: 'all' | 'last' } = {},
) {
  const keys = createRemoteJWKSet(new URL(`${sandbox.baseUrl}/.well-known/jwks.json`))
  const kept = new Set<string>()
  const parameter = (path: string, name: string) => new URL(path, app.url).searchParams.get(name) ?? ''
  const app: WebApp = await startWebApp(
    routes({
      async '/callback'({ path }, response) {
        try {
          const { payload } = await jwtVerify(parameter(path, 'id_token'), keys, { audience: 'ak_test_sandbox' })
          if (keeps === 'last') kept.clear()
          kept.add(payload.sub ?? '')
          response.end('Welcome.')
        } catch {
          response.writeHead(400).end('This is no proof.')
        }
      },
      '/admin/verifications': (request, response) => answering(parameter(request.path, 'sub'), kept, request, response),
    }),
  )
  const party = createRelyingParty(sandbox)
  return {
    ...app,
    kept,
    /** A user proves an age: the `sub` of the id_token that comes to the app, also of one that the app refuses. */
    async prove(changes?: Changes): Promise<string> {
      const redirect_uri = `${app.url}/callback`
      const { address, params } = await party.use({ redirect_uri, response_mode: 'query', ...changes })
      await fetch(`${address}?${new URLSearchParams(params)}`)
      const [, payload = ''] = (params['id_token'] ?? '').split('.')
      return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}').sub
    },
  }
}
