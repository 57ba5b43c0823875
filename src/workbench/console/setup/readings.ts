import {
  type Reading,
  type Readings,
  readingId,
  type Variant,
} from '../../../sandbox/readings/reading.ts'
import {
  findReading,
  parseReadings,
  quotationOf,
  READINGS,
  requireReadings,
} from '../../../sandbox/readings/readings.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import { counted } from '../../../server/http/html/elements.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import type { ActResult, ConsoleCall, ConsoleRoute } from '../console-route.ts'

/**
 * `console/readings`: what the specification leaves open, the current readings, and buttons that
 * set other readings.
 */
export const readingsPage: ConsoleRoute = {
  name: 'readings',
  render: ({ tenant, frame, problem }) =>
    renderReadings(frame, READINGS, { ...tenant.settings, problem }),
  act,
}

async function act({ tenant, fields }: ConsoleCall): Promise<ActResult | undefined> {
  const { set, clear } = fields
  if (clear !== undefined) await tenant.configure({ readings: {} })
  if (set === undefined) return undefined
  await tenant.configure({ readings: requireReadings(tenant.settings.readings, changeOf(set)) })
  return { part: set.split('=')[0] }
}

/** Reads the button's value. Choosing the default variant removes the reading. */
function changeOf(text: string): Readonly<Record<string, string | null>> {
  const parsed = parseReadings([text])
  const at = text.indexOf('=')
  const [name, variant] = [text.slice(0, at), text.slice(at + 1)]
  if ('problem' in parsed) return { [name]: variant }
  return { [name]: findReading(name)?.default === variant ? null : variant }
}

/**
 * Renders all readings with their quotations, and their variants as buttons.
 * @param set the readings that are set, and why a form was refused
 */
export function renderReadings(
  frame: ConsoleFrame,
  readings: readonly Reading[],
  {
    readings: set,
    problem,
  }: { readonly readings: Readings; readonly problem?: string | undefined },
): RenderedPage {
  const action = `${frame.consolePath}/readings`
  const count = Object.keys(set).length
  return renderConsolePage(frame, {
    title: 'Readings',
    current: 'readings',
    lead: html`What the specification leaves open, and how this sandbox reads it. Does your app survive the other ways? <a class="target" href="${frame.controlPath}/docs/outcomes#readings">About readings</a>`,
    problem,
    body: html`<section class="card" aria-labelledby="set-title">
<h2 id="set-title" data-testid="readings-set">${count === 0 ? 'Each one is read as usual' : `${counted(count, 'reading')} set`}</h2>
${count > 0 && html`<p>${Object.entries(set).map(([name, variant]) => html`<code class="whole">${readingId(name, variant)}</code> `)}</p>`}
${count > 0 && html`<form class="row" method="post" action="${action}"><button class="secondary" name="clear" value="true" data-testid="clear-readings">Read all as usual</button></form>`}
${readings.map((reading) => renderReading(reading, set[reading.name] ?? reading.default, action))}
</section>`,
  })
}

/** Renders a reading; it is unfolded when another variant than the default is set. */
const renderReading = (reading: Reading, current: string, action: string): Html =>
  html`<details class="dense" id="${reading.name}"${current !== reading.default && html` open`} data-testid="reading-${reading.name}">
<summary><h3>${reading.point}</h3> <span class="tag${current !== reading.default && ' warn'}">${current}</span></summary>
<p class="muted">${reading.section}: ${quotationOf(reading)} <code class="whole">${reading.name}</code></p>
<form method="post" action="${action}"><ul class="stack">
${reading.variants.map((variant) => renderVariant(reading, variant, current))}</ul></form>
</details>
`

const renderVariant = (
  { name, default: usual }: Reading,
  variant: Variant,
  current: string,
): Html =>
  html`<li><button class="row spread boxed wide" name="set" value="${readingId(name, variant.name)}" aria-pressed="${variant.name === current ? 'true' : 'false'}"><span><strong>${variant.name}</strong>${variant.name === current && html` <span class="tag warn">now</span>`}${variant.name === usual && html` <span class="tag">usual</span>`}</span> <span class="muted">${variant.summary} (${variant.source})</span></button></li>
`
