// npx tsx test/audit/shapes/run.ts [http | chromium] [sound | holed] [--only=ROWS] [part of a name ...]
// Audits the shapes and tables what their logs say by what the audit says. `http` drives all of them by plain HTTP, `chromium`
// those alone that take scripts; without either each has the agent that it takes.
import { createChromiumAgent } from '../../../src/audit/agent/chromium/chromium-agent.ts'
import { launchChromium } from '../../../src/audit/agent/chromium/launch.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { SHAPES, type Shape, startShape } from './shapes.ts'
import { compareWithTruth } from './truth.ts'

const words = process.argv.slice(2)
const takes = (word: string, other: string) => words.includes(word) || !words.includes(other)
const only = words.flatMap((word) => (word.startsWith('--only=') ? word.slice('--only='.length).split(',') : []))
const names = words.filter((word) => !/^(http|chromium|sound|holed|--only=.*)$/.test(word))
const shapes = SHAPES.filter(({ name, browser }) => {
  return (names.length === 0 || names.some((part) => name.includes(part))) && (takes('http', 'chromium') || browser)
})
const byScripts = takes('chromium', 'http') && shapes.some(({ browser }) => browser)
const chromium = byScripts ? createChromiumAgent(await launchChromium({})) : undefined
const total: Record<string, number> = {}
function add(name: string, count = 1) {
  total[name] = (total[name] ?? 0) + count
}

for (const shape of shapes) {
  if (takes('sound', 'holed')) await audit(shape, 'sound')
  if (takes('holed', 'sound')) await audit(shape, 'holed')
}
await chromium?.close()
console.log('\nall', total)

async function audit(shape: Shape, variant: 'sound' | 'holed') {
  await using sandbox = await createSandbox({ onError: console.error })
  const app = await startShape(shape, sandbox, variant === 'holed' ? shape.hole : undefined)
  const agent = (shape.browser && chromium) || createHttpAgent()
  const page = shape.browser && agent !== chromium ? `${app.url}/verify` : app.page
  const before = shape.before?.map((request) => ({ ...request, url: app.url + request.url })) ?? []
  const began = Date.now()
  const title = `\n${shape.name}, ${variant === 'sound' ? variant : `hole: ${shape.hole}`}`
  try {
    const settings = { page, agent, before, fragment: shape.fragment }
    const report = await runAudit(appAt(sandbox, settings), { failOn: 'may', only: only.length > 0 ? only : undefined })
    const { counts, contradictions, undetermined, rows } = await compareWithTruth(report, { app, sandbox })
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    console.log(`${title}: exit ${report.exit_code}, ${seconds} s\n  ${write(counts)}`)
    if (Object.keys(undetermined).length > 0) console.log(`  undetermined: ${write(undetermined)}`)
    const letIn = rows.filter(({ verdict }) => verdict === 'let in').map(({ row }) => row)
    if (letIn.length > 0) console.log(`  let in: ${letIn.join(' ').slice(0, 400)}`)
    for (const line of contradictions.slice(0, 5)) console.log(`  WRONG ${line.slice(0, 300)}`)
    for (const [pair, count] of Object.entries(counts)) add(pair, count)
    add('rows that the log contradicts', contradictions.length)
    if (variant === 'sound' && report.exit_code === 1) add('sound apps with a finding')
    if (variant === 'holed' && letIn.length === 0) add('holes that were not found')
  } catch (error) {
    console.log(`${title}: no report: ${String(error).slice(0, 300)}`)
    add('no report')
  } finally {
    app.stop()
  }
}

function write(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(' | ')
}
