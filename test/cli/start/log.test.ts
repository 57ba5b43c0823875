import { beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../../../src/cli/start/log.ts'

/** A place to write to that can be full for a while. */
let written: string[]
let warnings: string[]
let problem: Error | undefined
const write = (text: string) => {
  if (problem === undefined) written.push(text)
  return problem
}
const errorOf = (code: string) => Object.assign(new Error(`${code}: a reason`), { code })
const turn = () => new Promise((resolve) => setImmediate(resolve))
const log = () => createLog(write, (message) => warnings.push(message))

beforeEach(() => {
  written = []
  warnings = []
  problem = undefined
})

test('The log of a server writes the lines of a turn together, in their order', async () => {
  const { first, line } = log()
  first('ready')
  line('one')
  line('two')
  await turn()
  expect(written).toEqual(['ready\n', 'one\ntwo\n'])
})

test('The log of a server drops the lines that cannot be written, and says so when that begins and when it ends', async () => {
  const { first, line } = log()
  first('ready')
  problem = errorOf('ENOSPC')
  for (const text of ['one', 'two', 'three']) {
    line(text)
    await turn()
  }
  expect(warnings).toEqual(['log: it cannot be written (ENOSPC: a reason); its lines are dropped until it can'])
  problem = undefined
  line('four')
  await turn()
  expect(written).toEqual(['ready\n', 'four\n'])
  expect(warnings.slice(1)).toEqual(['log: it is written again; lines that are missing: 3'])
  problem = errorOf('EIO')
  line('five')
  await turn()
  expect(warnings).toHaveLength(3)
})

test('The log of a server begins with the line that says it is ready, also when that could not be written at first', async () => {
  problem = errorOf('ENOSPC')
  const { first, line } = log()
  first('ready')
  line('lost')
  await turn()
  problem = undefined
  line('one')
  line('two')
  await turn()
  line('three')
  await turn()
  expect(written).toEqual(['ready\none\ntwo\n', 'three\n'])
  expect(warnings).toHaveLength(2)
})

test('The log of a server warns of no closed pipe, and lets no reader leave more than a MiB unread', async () => {
  problem = errorOf('EPIPE')
  log().line('one')
  await turn()
  expect(warnings).toEqual([])
  const asked = vi.fn(() => undefined)
  createLog(asked, () => {}).first('ready')
  expect(asked).toHaveBeenCalledWith('ready\n', { maxUnreadBytes: 1024 * 1024 })
})
