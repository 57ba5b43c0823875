import { existsSync } from 'node:fs'
import { auditOfExample } from './audit.js'
import { coldNpx, coldStart } from './cold-start.js'
import { countedAgainstUncounted } from './coverage.js'
import { memoryAfterFlows } from './memory.js'
import { redisAgainstMemory } from './redis.js'
import { againstEmpty, againstExpress } from './throughput.js'

if (!existsSync(new URL('../dist/index.js', import.meta.url)))
  throw new Error('bench: run `npm run build` first')

const MEASUREMENTS = {
  start: coldStart,
  express: againstExpress,
  load: againstEmpty,
  coverage: countedAgainstUncounted,
  memory: memoryAfterFlows,
  redis: redisAgainstMemory,
  audit: auditOfExample,
  npx: coldNpx,
}
const wanted = process.argv.slice(2)
const format = (number) => (number >= 100 ? number.toFixed(0) : number.toFixed(2))

console.log(
  '| What | Ours | Other | Unit | Ratio or difference | Wanted |\n|---|--:|--:|---|--:|---|',
)
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const { what, ours, theirs, unit, ratio, wanted: goal } of await measure()) {
    console.log(
      `| ${what} | ${format(ours)} | ${format(theirs)} | ${unit} | ${format(ratio)} | ${goal} |`,
    )
  }
}
process.exit()
