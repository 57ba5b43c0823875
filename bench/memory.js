import { startServer } from './measure.js'
import { sendAll, use } from './requests.js'

const MEGABYTE = 1024 * 1024

/** What 19,000 more flows leave in the memory of the process. */
export async function memoryAfterFlows() {
  const sandbox = await startServer('sandbox')
  const flows = (count) => sendAll(count, 302, () => use(sandbox.url))
  await flows(1000)
  const early = (await sandbox.memory()) / MEGABYTE
  await flows(19_000)
  const late = (await sandbox.memory()) / MEGABYTE
  sandbox.stop()
  return [
    {
      what: 'Memory after 20,000 flows, beyond that after 1,000',
      ours: late,
      theirs: early,
      unit: 'MB',
      ratio: late - early,
      wanted: '<= 40 MB',
    },
  ]
}
