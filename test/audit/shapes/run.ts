// npx tsx test/audit/shapes/run.ts [http|chromium] [sound|holed] [part of a name ...]: audits the shapes, and tables the truth by verdict.
import { createChromiumAgent } from '../../../src/audit/agent/chromium/chromium-agent.ts'
import { launchChromium } from '../../../src/audit/agent/chromium/launch.ts'
import { createHttpAgent } from '../../../src/audit/agent/http-agent.ts'
import { runAudit } from '../../../src/audit/audit.ts'
import { appAt } from '../../../src/audit/drive/audited-app.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { SHAPES, type Shape, startShape } from './shapes.ts'
import { compareWithTruth } from './truth.ts'

const words = process.argv.slice(2)
const wanted = (agent: string) => !words.includes(agent === 'http' ? 'chromium' : 'http')
const names = words.filter((word) => !['http', 'chromium', 'sound', 'holed'].includes(word))
const shapes = SHAPES.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
const variants = ['sound', 'holed'].filter(
  (variant) => words.includes(variant) || !/\b(sound|holed)\b/.test(words.join()),
)
const needsChromium = wanted('chromium') && shapes.some(({ browser }) => browser)
const chromium = needsChromium ? createChromiumAgent(await launchChromium({})) : undefined
const total: Record<string, number> = {}

for (const shape of shapes) {
  if (!wanted(shape.browser ?? 'http')) continue
  for (const variant of variants) await audit(shape, variant)
}
await chromium?.close()
console.log('\nall', total)

async function audit(shape: Shape, variant: string) {
  const errors: unknown[] = []
  const sandbox = await createSandbox({ onError: (error) => errors.push(error) })
  const app = await startShape(shape, sandbox, variant === 'holed' ? shape.hole : undefined)
  const agent = (shape.browser && chromium) || createHttpAgent()
  const began = Date.now()
  try {
    const settings = {
      page: app.page,
      agent,
      before: shape.before?.map((one) => ({ ...one, url: app.url + one.url })) ?? [],
    }
    const report = await runAudit(appAt(sandbox, settings), { failOn: 'may' })
    const { counts, contradictions, undetermined, rows } = await compareWithTruth(report, { app, sandbox })
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    const letIn = rows.filter(({ verdict }) => verdict === 'let in').map(({ row }) => row)
    console.log(
      `\n${shape.name}, ${variant}${variant === 'holed' ? ` (${shape.hole})` : ''}: exit ${report.exit_code}, ${seconds} s`,
    )
    console.log(' ', counts, 'undetermined', undetermined)
    if (letIn.length > 0) console.log(`  let in: ${letIn.join(' ')}`)
    for (const line of contradictions.slice(0, 5)) console.log(`  WRONG ${line.slice(0, 300)}`)
    for (const [pair, count] of Object.entries(counts)) total[pair] = (total[pair] ?? 0) + count
    total['WRONG'] = (total['WRONG'] ?? 0) + contradictions.length
  } catch (error) {
    console.log(`\n${shape.name}, ${variant}: no report: ${String(error).slice(0, 300)}`)
    total['no report'] = (total['no report'] ?? 0) + 1
  } finally {
    app.stop()
    await sandbox.close()
    if (errors.length > 0) console.log('  errors of the sandbox:', errors)
  }
}
