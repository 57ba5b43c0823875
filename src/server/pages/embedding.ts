import type { Finding } from '../../service/oidc/rules/finding.ts'
import { Findings } from '../../service/oidc/rules/findings.ts'
import type { Incoming } from '../http/incoming.ts'
import type { HostedRequest } from './shell.ts'

type Flow = keyof typeof PASSKEY_PERMISSIONS

/** The permission that a flow needs in an iframe (specification, "Embedding rules"). */
export const PASSKEY_PERMISSIONS = {
  use: 'publickey-credentials-get',
  create: 'publickey-credentials-create',
} as const

/** Where the browser shows the page, judged by the headers of the request. */
export interface Embedding {
  /**
   * Whether `Sec-Fetch-Dest` names a frame. Without this header a script of the page looks for a
   * frame.
   */
  readonly framed: boolean
  /**
   * If the page runs in a plain embedded web view: the components to use instead, in which passkeys
   * work.
   */
  readonly insteadOfWebView: readonly string[]
}

export const embeddingOf = (request: Incoming): Embedding => ({
  framed: isFramed(request),
  insteadOfWebView: alternativesTo(request.header('user-agent') ?? ''),
})

/**
 * Whether the page is inside an iframe. The service never redirects there (specification,
 * "Embedding rules").
 */
export const endsInFrame = ({ framed, request }: Pick<HostedRequest, 'framed' | 'request'>) =>
  framed || isFramed(request)

const isFramed = (request: Incoming): boolean =>
  ['iframe', 'frame', 'embed', 'object', 'fencedframe'].includes(
    request.header('sec-fetch-dest') ?? '',
  )

/**
 * Detects a plain web view by the user agent: Android marks it with `wv`; on iOS only browsers, and
 * views based on Safari, name `Safari`.
 */
function alternativesTo(userAgent: string): readonly string[] {
  if (/Android.*;\s*wv\)/.test(userAgent)) return ['Custom Tabs']
  const isPlainIos =
    /\b(?:iPhone|iPad|iPod)\b.*AppleWebKit\//.test(userAgent) && !userAgent.includes('Safari/')
  return isPlainIos ? ['ASWebAuthenticationSession', 'SFSafariViewController'] : []
}

/**
 * Advice on the place where the request was opened. A header tells that it is an iframe; only a
 * script on the page can read the permissions of the iframe.
 */
export function embeddingAdvice(
  flow: Flow,
  { request, lacksPermission, tenant }: HostedRequest,
): readonly Finding[] {
  const findings = new Findings(tenant.provider.profile)
  const permission = PASSKEY_PERMISSIONS[flow]
  const { framed, insteadOfWebView } = embeddingOf(request)
  if (insteadOfWebView.length > 0) {
    const message = `the user agent is a plain embedded web view; open the flow in ${insteadOfWebView.join(' or ')}`
    findings.add('USE-19', { path: 'User-Agent', message })
  }
  if (lacksPermission) {
    const consequence = flow === 'create' ? 'no age key was saved' : 'no age key could be used'
    findings.add('USE-20', {
      path: permission,
      message: `the iframe lacks the permission ${permission}: ${consequence}`,
    })
  } else if (framed) {
    const message = `the request came from an iframe, which needs allow="${permission}"; whether it has it, no request says`
    findings.add('USE-20', { path: 'Sec-Fetch-Dest', message })
  }
  return findings.all
}
