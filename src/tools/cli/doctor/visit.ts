import * as z from 'zod'
import { isLoopbackHost } from '../../../sandbox/addresses/addresses.ts'
import { codeOf, messageOf } from '../../../sandbox/files/caught.ts'
import type { HttpAnswer } from '../../../server/client/exchange.ts'
import { CERTIFICATE_CODES, CERTIFICATE_PROBLEMS } from '../../../server/client/sandbox-error.ts'
import { callHttp, type HttpCall, readJson } from '../remote/reach-sandbox.ts'
import { type CheckName, inApp, inSandbox, type Problem, problem, trustLines } from './diagnosis.ts'

/** The configuration of the app, and how to call the sandbox. */
export interface DoctorVisit {
  /** The issuer exactly as the app configures it. */
  readonly issuer: string
  /**
   * The base URL at which this machine reaches the sandbox, if it differs from the issuer's.
   */
  readonly internalUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly redirectUri?: string | undefined
  /** A certificate to trust, as PEM. */
  readonly ca?: string | undefined
  /** Milliseconds for each call. */
  readonly timeoutMs: number
  /** The clock of this machine, in epoch milliseconds. */
  now(): number
}

interface Question extends Pick<HttpCall, 'method' | 'headers' | 'body'> {
  /** The check that fails if there is no response. */
  readonly check: CheckName
}

/**
 * Makes a call as the app would, with the same trusted certificate. The sandbox neither records nor
 * counts these calls.
 * @returns the response, or the problem that prevented a response
 */
export async function ask(
  url: string,
  visit: DoctorVisit,
  { check, headers, ...request }: Question,
): Promise<HttpAnswer | Problem> {
  const { ca, timeoutMs } = visit
  try {
    return await callHttp(url, {
      ...request,
      headers: { 'X-Sandbox-Tool': 'doctor', ...headers },
      timeoutMs,
      ca,
    })
  } catch (error) {
    return connectionProblem(check, url, { error, visit })
  }
}

const discoveryDocument = z.object({
  issuer: z.string(),
  token_endpoint: z.string().optional(),
  pushed_authorization_request_endpoint: z.string().optional(),
  jwks_uri: z.string().optional(),
})

/** The discovery document of one flow. */
export interface Discovery {
  /**
   * The URL of the document without its well-known part. The authorization endpoint of the flow has
   * this URL.
   */
  readonly foundAt: string
  readonly document: z.output<typeof discoveryDocument>
  readonly answer: HttpAnswer
}

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Reads the discovery document of a flow. */
export async function readDiscovery(
  visit: DoctorVisit,
  flow: 'use' | 'create',
): Promise<Discovery | Problem> {
  // Below the internal URL if one is given, otherwise below the issuer.
  const [, base, tenant = ''] =
    /^(.*?)(\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)\/?$/.exec(visit.issuer) ?? []
  const isOfService = base !== undefined
  const foundAt = isOfService
    ? `${(visit.internalUrl ?? base).replace(/\/+$/, '')}${tenant}/v1/oidc/${flow}`
    : visit.issuer.replace(/\/+$/, '')
  const answer = await ask(foundAt + WELL_KNOWN, visit, { check: 'reachable' })
  if ('problem' in answer) return answer
  if (answer.status !== 200) return refused(foundAt, answer, { visit, isOfService })
  const document = readJson(answer, discoveryDocument)
  if (document) return { foundAt, document, answer }
  return problem('issuer', 'discovery_unreadable', {
    message: `${foundAt}${WELL_KNOWN}: what came back is no discovery document; another server may listen there`,
    fix: [inApp(`issuer: the address of the sandbox, followed by /v1/oidc/${flow}`)],
  })
}

async function refused(
  foundAt: string,
  { status, headers }: HttpAnswer,
  { visit, isOfService }: { visit: DoctorVisit; isOfService: boolean },
): Promise<Problem> {
  const url = foundAt + WELL_KNOWN
  // A sandbox with https answers a request without TLS with status 400 in plain text.
  if (status === 400 && url.startsWith('http:') && (await speaksTls(url, visit)))
    return httpsExpected(url, visit)
  const { location } = headers
  if (status >= 300 && status < 400 && location !== undefined) {
    const target = URL.canParse(location, url) ? new URL(location, url).href : location
    return problem('issuer', 'discovery_redirected', {
      message: `${url} redirects to ${location}; clients do not follow that`,
      fix: [inApp(`issuer: ${target.replace(WELL_KNOWN, '')}`)],
    })
  }
  const issuer = isOfService ? undefined : await useIssuerNear(visit)
  if (issuer !== undefined) {
    const isBase = issuer.startsWith(foundAt)
    return problem('issuer', 'issuer_path_missing', {
      message: `${visit.issuer} is ${isBase ? 'the base URL of the sandbox; the issuer is below it' : 'below the base URL of the sandbox, but no issuer'}`,
      fix: [inApp(`issuer: ${issuer}`)],
    })
  }
  return problem('issuer', 'discovery_missing', {
    message: `${url} answers ${status}: there is no discovery document`,
    fix: [
      inApp('issuer: the base URL that the sandbox prints at its start, followed by /v1/oidc/use'),
    ],
  })
}

/**
 * Finds the issuer of Use, given an issuer that is only a part of a sandbox URL; `undefined` if no
 * sandbox answers.
 */
export async function useIssuerNear(visit: DoctorVisit): Promise<string | undefined> {
  const [baseUrl = ''] = /^.+?(?=\/*(?:\/v1(?:\/.*)?)?$)/.exec(visit.issuer) ?? []
  const answer = await ask(`${baseUrl}/v1/oidc/use${WELL_KNOWN}`, visit, { check: 'reachable' })
  if ('problem' in answer || answer.status !== 200) return undefined
  return readJson(answer, discoveryDocument)?.issuer
}

/** Why a call got no response, according to its error. */
async function connectionProblem(
  check: CheckName,
  url: string,
  { error, visit }: { error: unknown; visit: DoctorVisit },
): Promise<Problem> {
  const { host, hostname, port, protocol } = new URL(url)
  const code = codeOf(error) ?? ''
  const certificate = CERTIFICATE_CODES[code]
  if (certificate !== undefined) return certificateProblem(certificate, url, error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return problem(check, 'name_not_found', {
      message: `${hostname}: no address is known for this name here`,
      fix: [
        `compose.yaml: give the service of the sandbox the name ${hostname}, on the network of the app`,
        inApp(
          `use the name by which this machine knows the sandbox; on the same machine: ${url.replace(hostname, 'localhost')}`,
        ),
      ],
    })
  }
  if (code === 'ECONNREFUSED') {
    return problem(check, 'connection_refused', {
      message: `${host}: nothing listens there`,
      fix: refusedFix({ hostname, port }),
    })
  }
  if (code === 'ETIMEDOUT' || (error instanceof Error && error.name === 'TimeoutError')) {
    return problem(check, 'timeout', {
      message: `${host}: no answer within ${visit.timeoutMs / 1000} seconds`,
      fix: [
        `firewall or network policy: let ${host} through`,
        `compose.yaml: put the app and the sandbox on one network; a published port is for the host, not for containers`,
      ],
    })
  }
  if (/^(?:EPROTO|ERR_SSL_)/.test(code)) {
    return problem(check, 'http_expected', {
      message: `${host} speaks http, and was asked by https`,
      fix: [inApp(`issuer: ${swapScheme(visit.issuer)}`), ...inSandbox('https', 'true')],
    })
  }
  if (protocol === 'http:' && (await speaksTls(url, visit))) return httpsExpected(url, visit)
  return problem(check, 'connection_failed', {
    message: `${host}: the connection failed (${messageOf(error)})`,
    fix: [`look at the log of the sandbox, and at what stands between it and this machine`],
  })
}

function refusedFix({ hostname, port }: { hostname: string; port: string }): string[] {
  if (!isLoopbackHost(hostname)) {
    return [
      'by default the sandbox listens only on its own machine:',
      ...inSandbox('host', '0.0.0.0'),
    ]
  }
  const internal = `http://agekey-sandbox:${port || '2435'}`
  return [
    'when it is not running: npx agekey-sandbox',
    `in a container, ${hostname} is that container itself: let the app read discovery by the name of the service, and keep the issuer:`,
    ...inSandbox('internal_url', internal),
    `then ask again: agekey-sandbox doctor --internal-url ${internal} ...`,
  ]
}

const httpsExpected = (url: string, visit: DoctorVisit): Problem =>
  problem('reachable', 'https_expected', {
    message: `${new URL(url).host} speaks https, and was asked by http`,
    fix: [inApp(`issuer: ${swapScheme(visit.issuer)}`), ...inSandbox('https', 'false')],
  })

/** Whether a server that fails over http answers over https, with any certificate. */
async function speaksTls(url: string, visit: DoctorVisit): Promise<boolean> {
  const answer = await ask(swapScheme(url), visit, { check: 'reachable' })
  return !('problem' in answer) || answer.check === 'tls'
}

const swapScheme = (url: string) =>
  url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:')

/** Why the certificate of a server was refused, with the fixes. */
function certificateProblem(
  name: keyof typeof CERTIFICATE_PROBLEMS,
  url: string,
  error: unknown,
): Problem {
  const { host, hostname, origin } = new URL(url)
  const fixes = {
    tls_self_signed: [
      'the sandbox prints the file of its certificate at the start: tls-certificate.pem in its state folder',
      ...trustLines('/path/to/tls-certificate.pem'),
    ],
    tls_expired: [
      'restart the sandbox: it renews a certificate that it made itself; the app must then read the file again',
      ...inSandbox('https_cert', './a-newer-certificate.pem'),
    ],
    tls_not_yet_valid: ['set the clock of this machine: timedatectl set-ntp true'],
    tls_wrong_name: [
      `a certificate of the sandbox's own making names the hosts of base_url and internal_url:`,
      ...inSandbox('internal_url', origin),
      `or give it a certificate for ${hostname}: --https-cert FILE --https-key FILE`,
    ],
    tls_unknown_authority: [
      "take the certificate of that authority, for example mkcert's rootCA.pem",
      ...trustLines('/path/to/rootCA.pem'),
    ],
  }
  const names = name === 'tls_wrong_name' ? namesIn(error) : ''
  return problem('tls', name, {
    message: `${host}: ${CERTIFICATE_PROBLEMS[name]}${names}`,
    fix: fixes[name],
  })
}

/** The names in a refused certificate, which Node attaches to the error. */
function namesIn(error: unknown): string {
  const refused = z.object({ cert: z.object({ subjectaltname: z.string() }) }).safeParse(error).data
  return refused === undefined ? '' : `: ${refused.cert.subjectaltname}`
}
