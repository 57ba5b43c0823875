import * as z from 'zod'
import { parseJson } from '../../oidc/request/json.ts'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, ok, problem, skipped } from './diagnosis.ts'
import { declareClient, inApp } from './fix-lines.ts'
import { call, type DoctorVisit } from './visit.ts'

const refusal = z.object({ error_description: z.string(), findings: z.array(z.object({ path: z.string() })) })

/**
 * Whether the client may redirect where the app wants: an authorization request whose response type is wrong comes back there
 * as an error, or ends on an error page. No flow begins.
 */
export async function checkRedirect(authorizeUrl: string, visit: DoctorVisit): Promise<Diagnosis> {
  const { clientId, redirectUri } = visit
  if (clientId === undefined || redirectUri === undefined) {
    return skipped('redirect_uri', 'give --client-id and --redirect-uri to have it checked')
  }
  const query = new URLSearchParams({
    scope: 'openid',
    response_type: 'doctor',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'doctor',
    nonce: 'doctor',
  })
  try {
    const headers = { Accept: 'application/json' }
    const answer = await call(`${authorizeUrl}?${query}`, visit, { headers })
    if (answer.headers['location']?.startsWith(redirectUri)) {
      return ok('redirect_uri', `${redirectUri}: registered for ${clientId}`)
    }
    const json = parseJson(answer.text)
    const { findings = [], error_description: description } =
      refusal.safeParse(json.ok ? json.value : undefined).data ?? {}
    const faults = findings.map(({ path }) => path)
    if (faults.includes('client_id')) return unknownClient(clientId)
    if (faults.includes('redirect_uri')) return unregistered({ clientId, redirectUri })
    return problem('redirect_uri', 'unexpected_answer', {
      message: `${authorizeUrl} answers ${answer.status}${description === undefined ? '' : `: ${description}`}`,
      fix: ['in the control API: DELETE /_sandbox/expectations, in case an outcome was queued'],
    })
  } catch (error) {
    return connectionProblem('redirect_uri', authorizeUrl, error, visit)
  }
}

const unknownClient = (clientId: string) =>
  problem('redirect_uri', 'client_unknown', {
    message: `${clientId}: the sandbox has no such client`,
    fix: [inApp(`client_id: ${BUILTIN_CLIENT.clientId}`), declareClient(clientId)],
  })

const unregistered = ({ clientId, redirectUri }: { clientId: string; redirectUri: string }) =>
  problem('redirect_uri', 'redirect_uri_unregistered', {
    message: `${redirectUri} is not registered for ${clientId}; it is compared by exact match`,
    fix:
      clientId === BUILTIN_CLIENT.clientId
        ? [
            'the built-in client may redirect to localhost, 127.0.0.1 and [::1] only; declare one of your own:',
            `agekey-sandbox.yaml: clients: [{ client_id: web-shop, client_secret: not-a-real-secret, redirect_uris: [${redirectUri}] }]`,
          ]
        : [`agekey-sandbox.yaml, at the client ${clientId}: redirect_uris: [${redirectUri}]`],
  })
