import { expect, test, vi } from 'vitest'
import { createLog } from '../../../../src/tools/cli/start/report.ts'

/** A log whose target can be full for a while. */
function openLog() {
  const place = {
    written: [] as string[],
    warnings: [] as string[],
    problem: undefined as Error | undefined,
  }
  const write = (text: string) => {
    if (place.problem === undefined) place.written.push(text)
    return place.problem
  }
  return { place, ...createLog(write, (message) => place.warnings.push(message)) }
}
const errorOf = (code: string) => Object.assign(new Error(`${code}: a reason`), { code })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('The log of a server writes the lines of a turn together, in their order', async () => {
  const { place, first, line } = openLog()
  first('ready')
  line('one')
  line('two')
  await turn()
  expect(place.written).toEqual(['ready\n', 'one\ntwo\n'])
})

test('The log of a server drops the lines that cannot be written, and says so when that begins and when it ends', async () => {
  const { place, first, line } = openLog()
  first('ready')
  place.problem = errorOf('ENOSPC')
  for (const text of ['one', 'two', 'three']) {
    line(text)
    await turn()
  }
  expect(place.warnings).toEqual([
    'log: it cannot be written (ENOSPC: a reason); its lines are dropped until it can',
  ])
  place.problem = undefined
  line('four')
  await turn()
  expect(place.written).toEqual(['ready\n', 'four\n'])
  expect(place.warnings.slice(1)).toEqual(['log: it is written again; lines that are missing: 3'])
  place.problem = errorOf('EIO')
  line('five')
  await turn()
  expect(place.warnings).toHaveLength(3)
})

test('The log of a server begins with the line that says it is ready, also when that could not be written at first', async () => {
  const { place, first, line } = openLog()
  place.problem = errorOf('ENOSPC')
  first('ready')
  line('lost')
  await turn()
  place.problem = undefined
  line('one')
  line('two')
  await turn()
  line('three')
  await turn()
  expect(place.written).toEqual(['ready\none\ntwo\n', 'three\n'])
  expect(place.warnings).toHaveLength(2)
})

test('The log of a server warns of no closed pipe, and lets no reader leave more than a MiB unread', async () => {
  const { place, line } = openLog()
  place.problem = errorOf('EPIPE')
  line('one')
  await turn()
  expect(place.warnings).toEqual([])
  const asked = vi.fn(() => undefined)
  createLog(asked, () => {}).first('ready')
  expect(asked).toHaveBeenCalledWith('ready\n', { maxUnreadBytes: 1024 * 1024 })
})
