import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parseCoverage } from '../../../src/sandbox/coverage/counters.ts'
import { openTestSandbox } from '../../../src/tools/kits/test-sandbox.ts'
import {
  beginTest,
  isRunning,
  ownTestRun,
  startCoverage,
} from '../../../src/tools/kits/worker-coverage.ts'
import { folderWith } from '../../support/folder-with.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

let coverage: string
beforeEach(() => {
  coverage = join(folderWith(), 'coverage')
})

const visit = (baseUrl: string) => {
  const query = new URLSearchParams(useRequest({ sandbox_persona: 'teen-16' }))
  return fetch(`${baseUrl}/v1/oidc/use?${query}`, { redirect: 'manual' })
}
const filesOf = (runner: string) =>
  readdirSync(join(coverage, runner))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(coverage, runner, name))
const useIn = (file: string) => parseCoverage(readFileSync(file, 'utf8'), file).asked['use']
/** How often Use was asked for, by each file of the runner. */
const uses = () => filesOf('a').map((file) => useIn(file)?.count)

test('The coverage of a worker is a file for each sandbox, in a folder of the runner, which git ignores', async () => {
  const [one, other] = [
    await openTestSandbox({ coverage }, 'a'),
    await openTestSandbox({ coverage }, 'a'),
  ]
  await visit(one.api.baseUrl)
  await one.close('a.test.ts')
  await other.close('a.test.ts')
  expect([uses().toSorted(), readFileSync(join(coverage, '.gitignore'), 'utf8')]).toEqual([
    [1, undefined],
    '*\n',
  ])
  expect(readdirSync(join(coverage, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('The coverage of a worker replaces that of the same tests when they run once more in the same run', async () => {
  for (const visits of [2, 1]) {
    const { api, close } = await openTestSandbox({ coverage }, 'a')
    for (let n = 0; n < visits; n++) await visit(api.baseUrl)
    await close('a.test.ts')
  }
  expect(uses()).toEqual([1])
})

test('The coverage of a worker survives the reset after each test, and has the beginning of a long name', async () => {
  const { api, close } = await openTestSandbox({ coverage }, 'a')
  await beginTest(api, 'x'.repeat(1000))
  await visit(api.baseUrl)
  await api.reset()
  await beginTest(api, '')
  await visit(api.baseUrl)
  await close()
  expect(filesOf('a').map(useIn)).toEqual([{ count: 2, tests: ['x'.repeat(300)] }])
})

test('The coverage of workers counts a sandbox that they share once, and nothing from before the run', async () => {
  const sandbox = await startSandbox()
  await visit(sandbox.baseUrl)
  const options = { url: sandbox.baseUrl, coverage }
  const workers = await Promise.all(Array.from({ length: 6 }, () => openTestSandbox(options, 'a')))
  const work = async ({ close }: (typeof workers)[number]) => {
    await visit(sandbox.baseUrl)
    await close('a.test.ts')
  }
  await Promise.all(workers.map(work))
  expect(uses()).toEqual([6])
})

test('The coverage of a worker is complete when it asks a shared sandbox first and writes last', async () => {
  const sandbox = await startSandbox()
  const place = { folder: coverage, runner: 'a', sharedUrl: sandbox.baseUrl }
  const gate = new AbortController()
  const opened = once(gate.signal, 'abort')
  const get = async () => {
    const answer = await sandbox.coverage.get()
    await opened
    return answer
  }
  const slow = await startCoverage({ ...sandbox, coverage: { ...sandbox.coverage, get } }, place)
  const quick = await startCoverage(sandbox, place)
  await visit(sandbox.baseUrl)
  const written = slow.write(undefined)
  await visit(sandbox.baseUrl)
  await quick.write(undefined)
  gate.abort()
  await written
  expect(uses()).toEqual([2])
})

test('The coverage of a worker is not lost when the tenant of its own is removed', async () => {
  const sandbox = await startSandbox()
  const { api, close } = await openTestSandbox(
    { url: sandbox.baseUrl, ownTenant: true, coverage },
    'a',
  )
  await visit(sandbox.baseUrl)
  await visit(api.baseUrl)
  await close()
  expect(uses()).toEqual([1])
})

test('A worker removes files of coverage of runs that are over, and of its own runner only', async () => {
  await (await openTestSandbox({ coverage }, 'a')).close()
  for (const name of ['999999999.json', '999999999-12.x.json.tmp', 'mine.json'])
    writeFileSync(join(coverage, 'a', name), '')
  await (await openTestSandbox({ coverage }, 'b')).close()
  expect(existsSync(join(coverage, 'a/999999999.json'))).toBe(true)
  await (await openTestSandbox({ coverage }, 'a')).close()
  const left = readdirSync(join(coverage, 'a')).filter(
    (name) => !/^\d+(-\d+)?\.[0-9a-f-]{36}\.json$/.test(name),
  )
  expect(left).toEqual(['mine.json'])
})

test.each([5, '', null])(
  'The option coverage of a worker is refused as %j in one line',
  async (given) => {
    const options: object = { coverage: given }
    const message = `coverage: ${JSON.stringify(given)} is neither true or false, nor the name of a folder`
    await expect(openTestSandbox(options)).rejects.toThrow(message)
  },
)

test('A folder for the coverage of a worker that is a file is refused in one line', async () => {
  writeFileSync(coverage, '')
  await expect(openTestSandbox({ coverage }, 'a')).rejects.toThrow(
    `coverage: the folder ${join(coverage, 'a')} cannot be used (it is not a folder)`,
  )
})

test('A worker whose sandbox does not answer in the end says so, and writes no coverage', async () => {
  const sandbox = await startSandbox()
  const { close } = await openTestSandbox({ url: sandbox.baseUrl, coverage }, 'a')
  await sandbox.close()
  await expect(close()).rejects.toThrow(/nothing listens there|connection was lost/)
  expect(filesOf('a')).toEqual([])
})

test('A worker that cannot write its coverage closes its sandbox all the same', async () => {
  const { api, close } = await openTestSandbox({ coverage }, 'a')
  rmSync(coverage, { recursive: true })
  writeFileSync(coverage, '')
  await expect(close()).rejects.toThrow(`the folder ${join(coverage, 'a')} cannot be used`)
  await expect(api.clock.state()).rejects.toThrow('the sandbox is closed')
})

test('The next worker empties the counters of a shared sandbox when the first one could not', async () => {
  const sandbox = await startSandbox()
  const place = { folder: coverage, runner: 'a', sharedUrl: sandbox.baseUrl }
  const clear = () => Promise.reject(new Error('it is away'))
  const failed = startCoverage({ ...sandbox, coverage: { ...sandbox.coverage, clear } }, place)
  await expect(failed).rejects.toThrow('it is away')
  await visit(sandbox.baseUrl)
  await startCoverage(sandbox, place)
  expect(await sandbox.coverage.get()).toMatchObject({ asked: {} })
})

test('The test run of a worker of Vitest is the process that started it', () => {
  expect(ownTestRun()).toMatch(new RegExp(`^${process.ppid}(-\\d+)?$`))
  expect(isRunning(ownTestRun())).toBe(true)
})

test('A test run is over when its process has ended', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isRunning(String(child.pid))).toBe(false)
})

test.runIf(existsSync('/proc/self/stat'))(
  'A test run is over when another process has its id by now',
  () => {
    const [pid] = ownTestRun().split('-')
    expect([ownTestRun(), isRunning(`${pid}`)]).toEqual([expect.stringMatching(/-\d+$/), true])
    expect(isRunning(`${pid}-1`)).toBe(false)
  },
)
