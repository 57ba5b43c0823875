import { LOOPBACK_HOSTS } from '../../sandbox/addresses/web-address.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, ok, problem } from './diagnosis.ts'
import type { Discovery } from './discovery.ts'
import { inApp, inSandbox } from './fix-lines.ts'
import { call, type DoctorVisit } from './visit.ts'

/** The addresses that only servers call: discovery must name each of them, and each must answer from here. */
export function addressesOf(use: Discovery, create: Discovery) {
  return [
    ['jwks_uri', use.document.jwks_uri],
    ['token_endpoint', use.document.token_endpoint],
    ['pushed_authorization_request_endpoint', create.document.pushed_authorization_request_endpoint],
  ] as const
}

/** Asks an address of the discovery documents whether it can be reached. It is left as it was: nothing is sent. */
export async function checkAddress(
  name: string,
  url: string | undefined,
  { visit, foundAt }: { visit: DoctorVisit; foundAt: string },
): Promise<Diagnosis> {
  if (url === undefined || !URL.canParse(url)) {
    return problem('addresses', 'address_missing', {
      message: `${name}: the discovery document does not name it`,
      fix: [inApp('issuer: that of a sandbox; this discovery document is of another service')],
    })
  }
  try {
    const { status } = await call(url, visit, { method: 'HEAD' })
    if (status !== 404 && status < 500) return ok('addresses', `${name}: ${url} answers`)
    return unreachable(`${name}: ${url} answers ${status}`, { url, foundAt })
  } catch (error) {
    const cause = await connectionProblem('addresses', url, error, visit)
    if (cause.check === 'tls') return cause
    return unreachable(`${name}: ${url} cannot be reached from here: ${cause.message}`, { url, foundAt })
  }
}

function unreachable(message: string, { url, foundAt }: { url: string; foundAt: string }): Diagnosis {
  const base = foundAt.replace(/(?:\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)$/, '')
  const isBrowsersOnly = LOOPBACK_HOSTS.includes(new URL(url).hostname) && new URL(url).origin !== new URL(base).origin
  return problem('addresses', 'address_unreachable', {
    message,
    fix: isBrowsersOnly
      ? ['discovery names the address of browsers; set the one that servers use:', ...inSandbox('internal_url', base)]
      : [
          'discovery names addresses below base_url, or below internal_url for those who call by it:',
          ...inSandbox('base_url', base),
        ],
  })
}
