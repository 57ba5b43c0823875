import type { ConsolePlace } from '../../http/console-page.ts'
import { breakable, grouped, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { CoverageGap } from '../../sandbox/coverage/coverage.ts'

/** The page on which a gap can be tried. */
interface GapPlace extends Pick<ConsolePlace, 'consolePath' | 'demoPath'> {
  /** The claims of the app as JSON, for gaps of the endings of a flow. */
  readonly firstClaims: string | undefined
}

const MAX_CLAIMS_LENGTH = 300

/** The claims of the following gaps. */
export const renderClaims = (claims: string | undefined): Html | false =>
  claims !== undefined && html`<p class="muted"><code>${shortened(claims, MAX_CLAIMS_LENGTH)}</code></p>`

/** The gaps: what closes each, and where to try that. */
export const renderGaps = (gaps: readonly CoverageGap[], place: GapPlace): readonly Html[] =>
  grouped(gaps, ({ item }) => item.claims).map(
    ([claims, those]) =>
      html`${renderClaims(claims)}
<ul class="coverage-gaps">${those.map(
        (gap) =>
          html`<li><strong>${breakable(gap.what)}</strong> <span>${gap.closes}</span> ${renderTry(gap, place)}</li>
`,
      )}</ul>`,
  )

function renderTry(
  { what, item, persona, outcome }: CoverageGap,
  { consolePath, demoPath, firstClaims }: GapPlace,
): Html {
  const link = (href: string, text: string) =>
    html`<a class="target" href="${href}" aria-label="${text}: ${what}">${text}</a>`
  if (outcome !== undefined)
    return link(`${consolePath}/outcomes/${item.flow}/${encodeURIComponent(outcome)}`, 'Try it')
  const { claims = firstClaims } = item
  if (persona !== undefined && claims !== undefined)
    return link(`${consolePath}/playground?${new URLSearchParams({ claims, persona }).toString()}#copy`, 'Try it')
  if (item.flow === 'use') return link(`${consolePath}/personas`, 'Personas')
  return link(demoPath, 'See it in the demo')
}
