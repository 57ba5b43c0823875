import type { Handler } from '../http/route.ts'
import { APPEARANCE_PARAMETERS, type Presentation, readPresentation } from '../oidc/request/presentation.ts'
import { Findings } from '../oidc/rules/findings.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderAppearanceCss } from './appearance-css.ts'

/** Where the style sheet of an appearance is served: the appearance is in the address, nothing is kept. */
export const appearanceCssPath = ({ basePath }: Tenant, appearance: Presentation['appearance']): string =>
  `${basePath}/_sandbox/appearance.css?${new URLSearchParams({ ...appearance })}`

/** `GET /_sandbox/appearance.css`: the appearance parameters of E1 as a style sheet. What is not permitted is left out. */
export const appearanceCss: Handler = (request, { provider }) => {
  const sent = new Map(request.queryPairs)
  const parameters = Object.fromEntries(APPEARANCE_PARAMETERS.map((name) => [name, sent.get(name) || undefined]))
  const { appearance } = readPresentation(parameters, new Findings(provider.profile))
  return {
    reply: {
      status: 200,
      headers: { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=3600' },
      body: renderAppearanceCss(appearance),
    },
  }
}
