import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, ok, problem, skipped } from './diagnosis.ts'
import { declareClient, inApp } from './fix-lines.ts'
import { call, type DoctorVisit } from './visit.ts'

/** Whether the sandbox knows the credentials: a pushed request that is wrong in all else is refused for that or for them. */
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
