import {
  type Coverage,
  type CoverageDimension,
  type CoverageGap,
  type CoverageItem,
  claimsTextOf,
  DIMENSIONS,
  type DimensionName,
  gapsOf,
  nameOfSide,
} from '../../sandbox/coverage/coverage.ts'
import { currentCoverage } from '../../sandbox/coverage/describe-coverage.ts'
import {
  type ConsoleFrame,
  type ConsolePlace,
  renderConsolePage,
} from '../../server/http/console-page.ts'
import {
  breakable,
  counted,
  grouped,
  renderSnippet,
  renderTable,
  shortened,
} from '../../server/http/html/elements.ts'
import { type Html, html, type Renderable } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import type { ConsoleRoute } from './console-route.ts'

/**
 * `console/coverage`: what clients have received, and a form that clears it. At the base URL it
 * covers all tenants.
 */
export const coveragePage: ConsoleRoute = {
  name: 'coverage',
  async render({ tenant, frame }) {
    return renderCoverage(frame, await currentCoverage(tenant))
  },
  async act({ tenant, fields }) {
    if (fields['clear'] === 'true') await tenant.journal.seen.clear(tenant.name)
    return undefined
  },
}

/** What each dimension counts. */
const MEANINGS: Readonly<Record<DimensionName, string>> = {
  answers: 'Each requested threshold of your claims: yes and no.',
  endings: 'How a flow can end for your app.',
  must: 'Wrong answers that every app has to refuse, and right ones that it has to accept.',
}

/** Renders what clients have received, gaps first, and a form that clears it. */
export function renderCoverage(frame: ConsoleFrame, coverage: Coverage): RenderedPage {
  const { dimensions, unused, omitted } = coverage
  const isEmpty = DIMENSIONS.every((name) => dimensions[name].total === 0)
  const place = { ...frame, coverage }
  const isOfAll = frame.tenant === undefined
  return renderConsolePage(frame, {
    title: 'Coverage',
    current: 'coverage',
    lead: html`What your app was shown, and what it was not. ${isOfAll ? 'All tenants are added up' : 'This tenant alone'}; a reset of the sandbox empties nothing here.`,
    scripts: ['copy.js'],
    body: isEmpty
      ? renderEmpty()
      : html`${renderDimensions(coverage, frame)}
${DIMENSIONS.map((name) => renderDimension(name, place))}
${
  unused.length > 0 &&
  html`<section class="card" aria-labelledby="unused-title">
<h2 id="unused-title">Not used by your app</h2>
<ul class="steps">${unused.map(({ flow, reason }) => html`<li><code>${flow}</code>: ${reason}; its rows are no gaps</li>`)}</ul>
</section>`
}
${omitted && html`<p class="notice">What came after the limit of distinct claims or of names was reached is not counted.</p>`}`,
  })
}

function renderEmpty(): Html {
  return html`<section class="card" aria-labelledby="empty-title">
<h2 id="empty-title">Nothing yet</h2>
<p class="notice muted">Nothing was delivered to an app since the sandbox started or the coverage was emptied. The demo app does not count.</p>
<h3>Keep it for a run of tests</h3>${renderSnippet('AGEKEY_SANDBOX_COVERAGE_FILE=coverage.json npx agekey-sandbox')}
</section>`
}

function renderDimensions({ dimensions }: Coverage, { consolePath }: ConsoleFrame): Html {
  return html`<section class="card" aria-labelledby="dimensions-title">
<div class="row spread"><h2 id="dimensions-title">Dimensions</h2>
<form method="post" action="${consolePath}/coverage"><button class="secondary" name="clear" value="true" data-testid="clear-coverage">Empty the coverage</button></form></div>
${renderTable(
  'Dimensions',
  ['Dimension', 'Seen', 'Percent', 'What it counts'],
  DIMENSIONS.map((name) => ({
    cells: [...renderCount(name, dimensions[name]), MEANINGS[name]],
  })),
)}
</section>`
}

/** The table cells of a dimension. */
const renderCount = (
  name: DimensionName,
  { covered, total, percent }: CoverageDimension,
): readonly Renderable[] =>
  total === 0
    ? [name, html`<span class="muted">nothing to see</span>`, '']
    : [
        html`<a class="target" href="#${name}">${name}</a>`,
        `${covered} of ${total}`,
        html`<span class="whole"><meter min="0" max="100" value="${percent}" aria-label="${name}">${percent} %</meter> ${percent} %</span>`,
      ]

function renderDimension(name: DimensionName, place: GapPlace): Html | false {
  const { coverage } = place
  const dimension = coverage.dimensions[name]
  if (dimension.total === 0) return false
  const gaps = gapsOf(dimension)
  // A link into a folded part opens the part.
  return html`<details class="card">
<summary><h2>${name}</h2> <span class="mark ${gaps.length === 0 ? 'yes' : 'wait'}" data-testid="gaps-${name}">${gaps.length === 0 ? 'no gap' : counted(gaps.length, 'gap')}</span></summary>
<div class="stack" id="${name}">
${renderGaps(gaps, place)}
${renderSeen(name, coverage)}
</div>
</details>`
}

/** The coverage that a gap belongs to, and the paths of the pages where the gap can be closed. */
interface GapPlace extends Pick<ConsolePlace, 'consolePath' | 'demoPath'> {
  readonly coverage: Coverage
}

const MAX_CLAIMS_LENGTH = 300

/** Renders the claims above their gaps. */
const renderClaims = (claims: string | undefined): Html | false =>
  claims !== undefined &&
  html`<p class="muted"><code>${shortened(claims, MAX_CLAIMS_LENGTH)}</code></p>`

/** Renders the gaps, each with the way to close it and a link to try it. */
const renderGaps = (gaps: readonly CoverageGap[], place: GapPlace): readonly Html[] =>
  grouped(gaps, ({ item }) => claimsTextOf(item, place.coverage)).map(
    ([claims, gapsOfClaims]) =>
      html`${renderClaims(claims)}
<ul class="coverage-gaps">${gapsOfClaims.map(
        (gap) =>
          html`<li><strong>${breakable(gap.what)}</strong> <span>${gap.closes}</span> ${renderTry(gap, place)}</li>
`,
      )}</ul>`,
  )

function renderTry(
  { what, item, persona, outcome }: CoverageGap,
  { consolePath, demoPath, coverage }: GapPlace,
): Html {
  const link = (href: string, text: string) =>
    html`<a class="target" href="${href}" aria-label="${text}: ${what}">${text}</a>`
  if (outcome !== undefined)
    return link(`${consolePath}/outcomes/${item.flow}/${encodeURIComponent(outcome)}`, 'Try it')
  // An ending does not depend on the claims, so any claims of the app will do.
  const [firstClaims] = Object.values(coverage.claims)
  const claims = claimsTextOf(item, coverage) ?? JSON.stringify(firstClaims)
  if (persona !== undefined && claims !== undefined)
    return link(
      `${consolePath}/playground?${new URLSearchParams({ claims, persona }).toString()}#copy`,
      'Try it',
    )
  if (item.flow === 'use') return link(`${consolePath}/personas`, 'Personas')
  return link(demoPath, 'See it in the demo')
}

/** Renders what was seen of a dimension. */
function renderSeen(name: DimensionName, coverage: Coverage): Html | false {
  const { covered, items } = coverage.dimensions[name]
  if (covered === 0) return false
  return html`<details class="raw"><summary>${counted(covered, 'side')} seen</summary>
${grouped(items, (item) => claimsTextOf(item, coverage)).map(([claims, itemsOfClaims]) => {
  const names = itemsOfClaims.flatMap(seenSides)
  return (
    names.length > 0 &&
    html`${renderClaims(claims)}
<ul>${names.map((seen) => html`<li>${breakable(seen)}</li>`)}</ul>`
  )
})}
</details>`
}

/** The names of the sides that were seen. */
const seenSides = (item: CoverageItem): readonly string[] =>
  Object.entries(item.sides)
    .filter(([, { seen }]) => seen)
    .map(([side]) => nameOfSide(item, side))
