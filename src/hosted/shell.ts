import type { Shell } from '../http/html/layout.ts'
import { directionOf } from '../http/html/messages.ts'
import type { Incoming } from '../http/incoming.ts'
import { shellOf } from '../http/shell.ts'
import type { Presentation } from '../oidc/request/presentation.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { appearanceCssPath } from './appearance.ts'
import { languageOf } from './language.ts'

/** Who looks at a hosted page, and where. */
export interface Visit {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly version: string
  /** A script on the page found itself in an iframe. */
  readonly framed?: boolean
  /** The clock was moved on the page itself. */
  readonly clockMoved?: boolean
  /** The language that was chosen on the page itself. */
  readonly chosenLanguage?: string | undefined
}

/**
 * What surrounds a hosted page: language, theme and appearance as the request asks (specification, "Hosted screen behavior
 * and appearance"). A request that is refused asks for nothing that could be trusted.
 */
export function hostedShell(
  { request, tenant, version, chosenLanguage }: Visit,
  presentation?: Presentation,
): Shell & { readonly lang: string } {
  const lang = languageOf(request, { chosen: chosenLanguage, asked: presentation?.language })
  const { theme = 'light', appearance = {} } = presentation ?? {}
  const isStyled = Object.keys(appearance).length > 0
  return {
    ...shellOf(tenant, version),
    lang,
    dir: directionOf(lang),
    // Any appearance parameter with a valid value forces the light theme.
    theme: isStyled ? 'light' : theme,
    ...(isStyled ? { appearanceCssPath: appearanceCssPath(tenant, appearance) } : {}),
  }
}
