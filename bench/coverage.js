import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'
import { interleave, startServer } from './measure.js'
import { sendAll, use } from './requests.js'

const CALLS = 400
/** More than elsewhere: what is looked for is small. */
const ROUNDS = 41
const WARM_UP = 8

/** Beside `dist`, for a bundle looks for its package there. */
const UNCOUNTED = fileURLToPath(new URL('../dist-uncounted', import.meta.url))

/** The same sources, but for the one function that names what a client sees: it names nothing. */
const withoutCounting = {
  name: 'without-counting',
  load: (id) =>
    /coverage[\\/]seen-names\.ts$/.test(id) ? 'export const seenNames = () => []' : undefined,
}

/** Use flows of a sandbox that counts what it sends against those of one that does not. */
export async function countedAgainstUncounted() {
  const config = await loadConfig('rolldown.config.ts')
  await build({
    ...config,
    plugins: [config.plugins, withoutCounting],
    output: { ...config.output, dir: UNCOUNTED },
  })
  const rows = []
  for (const [what, changes] of [
    ['Use that counts its answer against one that does not', () => ({})],
    [
      'The same with every filter, and other claims in each request',
      (index) => ({ claims: filtered(index) }),
    ],
  ]) {
    const [counted, uncounted] = await Promise.all(
      ['sandbox', 'sandbox-uncounted'].map(startServer),
    )
    const flows = ({ url }) => sendAll(CALLS, 302, (index) => use(url, changes(index)))
    const rate = async (server) => CALLS / (await server.cpuSeconds(() => flows(server)))
    const rates = await interleave(
      ROUNDS,
      { counted: () => rate(counted), uncounted: () => rate(uncounted) },
      { warmUp: WARM_UP },
    )
    for (const server of [counted, uncounted]) server.stop()
    const ratio = rates.counted / rates.uncounted
    const common = { unit: 'per CPU second', wanted: '>= 0.98' }
    rows.push({ what, ours: rates.counted, theirs: rates.uncounted, ratio, ...common })
  }
  await rm(UNCOUNTED, { recursive: true })
  return rows
}

/** Claims that differ in an instant, so that no text comes twice in a round. */
const filtered = (index) =>
  JSON.stringify({
    age_thresholds: [13, 16, 18, 21],
    allowed_methods: ['id_doc_scan', 'facial_age_estimation', 'national_id_number'],
    verified_after: new Date(Date.UTC(2020, 0, 1, 0, 0, index)).toISOString(),
    provenance: { allowed: ['/veratad/*', '/yoti'], denied: ['/veratad/cra'] },
    overrides: {
      facial_age_estimation: { min_age: 21 },
      id_doc_scan: { attributes: { issuing_country: ['US', 'DE'] } },
    },
  })
