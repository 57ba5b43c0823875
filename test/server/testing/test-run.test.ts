import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isRunning, ownTestRun } from '../../../src/server/testing/test-run.ts'

test('The test run of a worker of Vitest is the process that started it', () => {
  expect(ownTestRun()).toMatch(new RegExp(`^${process.ppid}(-\\d+)?$`))
  expect(isRunning(ownTestRun())).toBe(true)
})

test('A test run is over when its process has ended', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isRunning(String(child.pid))).toBe(false)
})

test.runIf(existsSync('/proc/self/stat'))('A test run is over when another process has its id by now', () => {
  const [pid] = ownTestRun().split('-')
  expect([ownTestRun(), isRunning(`${pid}`)]).toEqual([expect.stringMatching(/-\d+$/), true])
  expect(isRunning(`${pid}-1`)).toBe(false)
})
