import { execFileSync } from 'node:child_process'
import { SANDBOX, startCommand } from './command.js'
import { sendAll, use } from './requests.js'

/** What 19,000 more flows add to the memory of the installed command. */
export async function memoryAfterFlows() {
  const { pid, url, stop } = await startCommand(process.execPath, [
    SANDBOX,
    '-p',
    '0',
    '--state-dir',
    'none',
  ])
  const flows = (count) => sendAll(count, 302, () => use(url))
  const resident = () =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
  await flows(1000)
  const early = resident()
  await flows(19_000)
  const late = resident()
  stop()
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
