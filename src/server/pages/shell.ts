import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Presentation } from '../../service/oidc/request/presentation.ts'
import { browserAddress } from '../http/guard/browser-address.ts'
import type { ControlGuard } from '../http/guard/guard.ts'
import { type RenderedPage, type Shell, shellOf } from '../http/html/layout.ts'
import { directionOf, languageOf } from '../http/html/messages.ts'
import type { Incoming } from '../http/incoming.ts'
import { page, type Reply } from '../http/reply.ts'
import { appearanceCssPath } from './appearance.ts'

/** The request for a hosted page, with what a script of the page reported about the browser. */
export interface HostedRequest {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly version: string
  readonly guard: ControlGuard
  /** A script on the page found itself in an iframe. */
  readonly framed?: boolean
  /** A script on the page found that this iframe lacks the permission for passkeys. */
  readonly lacksPermission?: boolean
  /** The user continued although passkeys do not work there. */
  readonly continued?: boolean
  /** The language that was chosen on the page itself. */
  readonly chosenLanguage?: string | undefined
}

/**
 * The shell of a hosted page, with the language, theme and appearance of the authorization request
 * (specification, "Hosted screen behavior and appearance").
 * @param presentation absent for a refused request, because its parameters are not trusted
 */
export function hostedShell(
  { request, tenant, version, guard, chosenLanguage }: HostedRequest,
  presentation?: Presentation,
): Shell & { readonly lang: string } {
  const lang = languageOf(request, { chosen: chosenLanguage, asked: presentation?.language })
  const { theme = 'light', appearance = {} } = presentation ?? {}
  const isStyled = Object.keys(appearance).length > 0
  return {
    ...shellOf(tenant, version),
    lang,
    dir: directionOf(lang),
    browserAddress: browserAddress(request, guard),
    // Any appearance parameter with a valid value forces the light theme.
    theme: isStyled ? 'light' : theme,
    ...(isStyled ? { appearanceCssPath: appearanceCssPath(tenant, appearance) } : {}),
  }
}

/**
 * The reply with a hosted page. Its forms may post to the sandbox and, if given, to the origin of
 * `redirectUri`.
 */
export function hostedReply(
  rendered: RenderedPage,
  { lang, redirectUri }: { lang: string; redirectUri?: string },
): Reply {
  const formTargets = redirectUri === undefined ? [] : [formTarget(redirectUri)]
  const reply = page(200, rendered, { formTargets, embeddable: true })
  return { ...reply, headers: { ...reply.headers, 'Content-Language': lang } }
}

/**
 * The `form-action` source for a redirect URI: its origin, or only its scheme for an IPv6 host,
 * which CSP cannot express.
 */
function formTarget(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  return hostname.startsWith('[') ? protocol : origin
}
