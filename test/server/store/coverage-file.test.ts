import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  type CoverageCounters,
  emptyCounters,
  parseCoverage,
} from '../../../src/sandbox/coverage/counters.ts'
import { coverageSchema } from '../../../src/sandbox/coverage/coverage.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { openCoverageFile } from '../../../src/server/store/coverage-file.ts'
import { folderWith } from '../../support/folder-with.ts'
import { createClient } from '../../support/http-client.ts'
import { KEY_FILE } from '../../support/keys.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { described } from '../../tools/cli/coverage/sample-coverage.ts'

let folder: string
let coverageFile: string
beforeEach(() => {
  folder = folderWith()
  coverageFile = join(folder, 'coverage.json')
})

const written = (): CoverageCounters =>
  parseCoverage(readFileSync(coverageFile, 'utf8'), coverageFile)
const start = () => createSandbox({ keys: KEY_FILE, coverageFile })

test('A sandbox that is closed leaves a coverage file with what it delivered, and nothing beside it', async () => {
  const sandbox = await start()
  await createRelyingParty(createClient(sandbox.baseUrl)).use()
  await sandbox.close()
  expect(written().endings).toEqual({ verified: { count: 1 } })
  expect(
    coverageSchema.parse(JSON.parse(readFileSync(coverageFile, 'utf8'))).dimensions.endings.covered,
  ).toBe(1)
  expect(readdirSync(folder)).toEqual(['coverage.json'])
})

test('A coverage file is written soon after each change, without a close or a pause', async () => {
  const sandbox = await start()
  onTestFinished(() => sandbox.close())
  const party = createRelyingParty(createClient(sandbox.baseUrl))
  const useUntilWritten = async () => {
    await party.use()
    expect(written().endings).toHaveProperty('verified')
  }
  await vi.waitFor(useUntilWritten, { timeout: 5_000 })
  await sandbox.coverage.clear()
  await vi.waitFor(() => expect(written().endings).toEqual({}), { timeout: 5_000 })
})

test('A coverage file is written once a second, however much is counted, and at the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const file = await openCoverageFile(coverageFile, {})
  let count = 0
  file.begin(async () => {
    count++
    return described(emptyCounters('1.0.0'))
  })
  for (let calls = 1; calls <= 300; calls++) {
    file.changed()
    await vi.advanceTimersByTimeAsync(10)
    // Waits for the file of this second.
    if (calls % 100 === 0) await file.flush()
  }
  file.changed()
  await file.flush()
  expect(count).toBe(1 + 3 + 1)
})

test('A coverage file of an earlier run is replaced, also by a run that delivers nothing', async () => {
  writeFileSync(
    coverageFile,
    JSON.stringify({ ...emptyCounters('0'), format: 99, rows: { old: { count: 1 } } }),
  )
  await (await start()).close()
  expect(written().rows).toEqual({})
})

test('A file that is no coverage file is refused as one before anything is written', async () => {
  writeFileSync(coverageFile, '{"name":"my-app"}')
  await expect(start()).rejects.toThrow(
    `coverageFile: ${coverageFile}: it is no coverage file, and each run replaces it; name another file, or delete it`,
  )
  expect(readFileSync(coverageFile, 'utf8')).toBe('{"name":"my-app"}')
})

// A folder without the right to write would not do: root may write it.
test.each([
  [
    'does not exist',
    'reports',
    /^coverageFile: .*: there is no folder \S+reports; make it, or name another one$/,
  ],
  [
    'cannot be written',
    'file/reports',
    /^coverageFile: .*its folder cannot be written \(ENOTDIR.*\); name another one$/,
  ],
])('A coverage file in a folder that %s is refused in one line', async (_what, path, message) => {
  writeFileSync(join(folder, 'file'), '')
  coverageFile = join(folder, path, 'coverage.json')
  await expect(start()).rejects.toThrow(message)
})

test('A coverage file that cannot be written later is a warning, and the sandbox goes on', async () => {
  const warnings: string[] = []
  const sandbox = await createSandbox({
    keys: KEY_FILE,
    coverageFile,
    onWarning: (line) => warnings.push(line),
  })
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual(['coverage.json']), {
    timeout: 20_000,
  })
  rmSync(folder, { recursive: true })
  await createRelyingParty(createClient(sandbox.baseUrl)).use()
  await sandbox.close()
  expect(warnings).toEqual([
    expect.stringMatching(
      /^the option coverageFile: .* cannot be written \(ENOENT.*\); it lacks what came last$/,
    ),
  ])
})
