import * as z from 'zod'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { readJson } from '../remote/http-call.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, declareClient, inApp, ok, problem, skipped } from './diagnosis.ts'
import { call, type DoctorVisit } from './visit.ts'

/** Whether the sandbox knows the credentials: a pushed request that is otherwise wrong is refused for the credentials or for the rest. */
export async function checkClient(parUrl: string | undefined, visit: DoctorVisit): Promise<Diagnosis> {
  const { clientId, clientSecret } = visit
  if (clientId === undefined || clientSecret === undefined) {
    return skipped('client', 'give --client-id and --client-secret to have them checked')
  }
  if (parUrl === undefined) return skipped('client', 'discovery names no address for pushed requests')
  try {
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, response_type: 'doctor' })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { status } = await call(parUrl, visit, { method: 'POST', headers, body: String(body) })
    if (status === 400) return ok('client', `${clientId}: the sandbox knows it and its secret`)
    if (status === 401) return refused(clientId)
    return problem('client', 'unexpected_answer', {
      message: `${parUrl} answers ${status} to a wrong request, where 400 or 401 was due`,
      fix: ['in the control API: DELETE /_sandbox/expectations, in case an outcome was queued for pushed requests'],
    })
  } catch (error) {
    return connectionProblem('client', parUrl, error, visit)
  }
}

const refused = (clientId: string) =>
  problem('client', 'client_refused', {
    message: `${clientId}: the sandbox refuses these credentials (invalid_client)`,
    fix: [
      inApp(`client_id: ${BUILTIN_CLIENT.clientId}`),
      inApp(`client_secret: ${BUILTIN_CLIENT.clientSecret}`),
      ...(clientId === BUILTIN_CLIENT.clientId
        ? ['unless the sandbox says builtin_client: false']
        : [declareClient(clientId)]),
    ],
  })

const refusal = z.object({ error_description: z.string(), findings: z.array(z.object({ path: z.string() })) })

/**
 * Whether the client exists and may redirect to the app: an authorization request with a wrong response type returns there as an error,
 * or ends on an error page. No flow begins.
 */
export async function checkRedirect(authorizeUrl: string, visit: DoctorVisit): Promise<Diagnosis> {
  const { clientId, redirectUri } = visit
  const unchecked = skipped('redirect_uri', 'give --redirect-uri to have it checked')
  if (clientId === undefined) return unchecked
  const query = new URLSearchParams({
    scope: 'openid',
    response_type: 'doctor',
    client_id: clientId,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    state: 'doctor',
    nonce: 'doctor',
  })
  try {
    const headers = { Accept: 'application/json' }
    const answer = await call(`${authorizeUrl}?${query}`, visit, { headers })
    if (redirectUri !== undefined && answer.headers['location']?.startsWith(redirectUri)) {
      return ok('redirect_uri', `${redirectUri}: registered for ${clientId}`)
    }
    const { findings = [], error_description: description } = readJson(answer, refusal) ?? {}
    const faults = findings.map(({ path }) => path)
    if (faults.includes('client_id')) return unknownClient(clientId)
    if (redirectUri === undefined) return unchecked
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
