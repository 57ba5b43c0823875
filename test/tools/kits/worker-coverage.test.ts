import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parseCoverage } from '../../../src/sandbox/coverage/seen-by-clients.ts'
import { openTestSandbox } from '../../../src/tools/kits/test-sandbox.ts'
import { isRunning, ownTestRun, startCoverage } from '../../../src/tools/kits/worker-coverage.ts'
import { folderWith } from '../../support/folder-with.ts'
import { endingsIn } from '../../support/kept-coverage.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

let coverage: string
beforeEach(() => {
  coverage = join(folderWith(), 'coverage')
})

const visit = (baseUrl: string, persona = 'child-12') => {
  const query = new URLSearchParams(useRequest({ sandbox_persona: persona }))
  return fetch(`${baseUrl}/v1/oidc/use?${query}`, { redirect: 'manual' })
}
const filesOf = (runner: string) =>
  readdirSync(join(coverage, runner))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(coverage, runner, name))
/** The endings that each file of the runner has seen. */
const endings = () =>
  filesOf('a').map((file) => endingsIn(parseCoverage(readFileSync(file, 'utf8'), file).names))

test('The coverage of a worker is a file for each sandbox, in a folder of the runner, which git ignores', async () => {
  const [one, other] = [
    await openTestSandbox({ coverage }, 'a'),
    await openTestSandbox({ coverage }, 'a'),
  ]
  await visit(one.api.baseUrl)
  await one.close('a.test.ts')
  await other.close('a.test.ts')
  expect(endings().toSorted()).toEqual([[], ['none_met']])
  expect(readFileSync(join(coverage, '.gitignore'), 'utf8')).toBe('*\n')
  expect(readdirSync(join(coverage, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('The coverage of a worker replaces that of the same tests when they run once more in the same run', async () => {
  for (const persona of ['adult-passport', 'child-12']) {
    const { api, close } = await openTestSandbox({ coverage }, 'a')
    await visit(api.baseUrl, persona)
    await close('a.test.ts')
  }
  expect(endings()).toEqual([['none_met']])
})

test('The coverage of a worker survives the reset after each test', async () => {
  const { api, close } = await openTestSandbox({ coverage }, 'a')
  await visit(api.baseUrl)
  await api.reset()
  await close()
  expect(endings()).toEqual([['none_met']])
})

test('The coverage of workers has what a shared sandbox delivered, and nothing from before the run', async () => {
  const sandbox = await startSandbox()
  await visit(sandbox.baseUrl, 'adult-passport')
  const options = { url: sandbox.baseUrl, coverage }
  const workers = await Promise.all(Array.from({ length: 6 }, () => openTestSandbox(options, 'a')))
  const work = async ({ close }: (typeof workers)[number], index: number) => {
    await visit(sandbox.baseUrl)
    await close(`${index}.test.ts`)
  }
  await Promise.all(workers.map(work))
  expect(endings()).toEqual(Array(6).fill(['none_met']))
})

test('The coverage of a worker is not lost when the tenant of its own is removed', async () => {
  const sandbox = await startSandbox()
  const { api, close } = await openTestSandbox(
    { url: sandbox.baseUrl, ownTenant: true, coverage },
    'a',
  )
  await visit(sandbox.baseUrl, 'adult-passport')
  await visit(api.baseUrl)
  await close()
  expect(endings()).toEqual([['none_met']])
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

test('The next worker empties the coverage of a shared sandbox when the first one could not', async () => {
  const sandbox = await startSandbox()
  const place = { folder: coverage, runner: 'a', sharedUrl: sandbox.baseUrl }
  const clear = () => Promise.reject(new Error('it is away'))
  const failed = startCoverage({ ...sandbox, coverage: { ...sandbox.coverage, clear } }, place)
  await expect(failed).rejects.toThrow('it is away')
  await visit(sandbox.baseUrl)
  await startCoverage(sandbox, place)
  expect((await sandbox.coverage.get()).names).toEqual([])
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
