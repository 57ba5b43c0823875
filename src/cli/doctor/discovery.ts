import * as z from 'zod'
import type { HttpAnswer } from '../../client/exchange.ts'
import { readJson } from '../remote/http-call.ts'
import { connectionProblem } from './connection-problem.ts'
import { inApp, type Problem, problem } from './diagnosis.ts'
import { call, type DoctorVisit, type FlowName, flowUrl } from './visit.ts'

const discoveryDocument = z.object({
  issuer: z.string(),
  token_endpoint: z.string().optional(),
  pushed_authorization_request_endpoint: z.string().optional(),
  jwks_uri: z.string().optional(),
})

/** The discovery document of one flow. */
export interface Discovery {
  /** The URL of the document without its well-known part; endpoints for browsers can be reached below it too. */
  readonly foundAt: string
  readonly document: z.output<typeof discoveryDocument>
  readonly answer: HttpAnswer
}

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Reads the discovery document of a flow. */
export async function readDiscovery(visit: DoctorVisit, flow: FlowName): Promise<Discovery | Problem> {
  const foundAt = flowUrl(visit, flow) ?? visit.issuer.replace(/\/+$/, '')
  const answer = await tryCall(foundAt + WELL_KNOWN, visit)
  if ('problem' in answer) return answer
  if (answer.status !== 200) return refused(foundAt, answer, visit)
  const document = readJson(answer, discoveryDocument)
  if (document) return { foundAt, document, answer }
  return problem('issuer', 'discovery_unreadable', {
    message: `${foundAt}${WELL_KNOWN}: what came back is no discovery document; another server may listen there`,
    fix: [inApp(`issuer: the address of the sandbox, followed by /v1/oidc/${flow}`)],
  })
}

async function tryCall(url: string, visit: DoctorVisit): Promise<HttpAnswer | Problem> {
  try {
    return await call(url, visit)
  } catch (error) {
    return connectionProblem('reachable', url, error, visit)
  }
}

async function refused(foundAt: string, { status, headers }: HttpAnswer, visit: DoctorVisit): Promise<Problem> {
  const url = foundAt + WELL_KNOWN
  const { location } = headers
  if (status >= 300 && status < 400 && location !== undefined) {
    return problem('issuer', 'discovery_redirected', {
      message: `${url} redirects to ${location}; clients do not follow that`,
      fix: [
        inApp(
          `issuer: ${(URL.canParse(location, url) ? new URL(location, url).href : location).replace(WELL_KNOWN, '')}`,
        ),
      ],
    })
  }
  const issuer = flowUrl(visit, 'use') === undefined ? await useIssuerNear(visit) : undefined
  if (issuer !== undefined) {
    const isBase = issuer.startsWith(foundAt)
    return problem('issuer', 'issuer_path_missing', {
      message: `${visit.issuer} is ${isBase ? 'the base URL of the sandbox; the issuer is below it' : 'below the base URL of the sandbox, but no issuer'}`,
      fix: [inApp(`issuer: ${issuer}`)],
    })
  }
  return problem('issuer', 'discovery_missing', {
    message: `${url} answers ${status}: there is no discovery document`,
    fix: [inApp('issuer: the base URL that the sandbox prints at its start, followed by /v1/oidc/use')],
  })
}

/** The issuer of Use of the sandbox whose addresses include the issuer of the visit; `undefined` when there is none. */
export async function useIssuerNear(visit: DoctorVisit): Promise<string | undefined> {
  const [baseUrl = ''] = /^.+?(?=\/*(?:\/v1(?:\/.*)?)?$)/.exec(visit.issuer) ?? []
  const answer = await tryCall(`${baseUrl}/v1/oidc/use${WELL_KNOWN}`, visit)
  if ('problem' in answer || answer.status !== 200) return undefined
  return readJson(answer, discoveryDocument)?.issuer
}
