import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { coverageSchema, type SeenByClients } from '../../../src/sandbox/coverage/coverage.ts'
import { parseCoverage } from '../../../src/sandbox/coverage/seen-by-clients.ts'
import { createSandbox } from '../../../src/server/create-sandbox.ts'
import { openCoverageFile } from '../../../src/server/store/coverage-file.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { seenOf } from '../../sandbox/coverage/seen.ts'
import { folderWith } from '../../support/folder-with.ts'
import { createClient } from '../../support/http-client.ts'
import { useFlowEntry } from '../../support/journal-entries.ts'
import { endingsIn } from '../../support/kept-coverage.ts'
import { KEY_FILE } from '../../support/keys.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { described } from '../../tools/cli/coverage/sample-coverage.ts'

let folder: string
let coverageFile: string
beforeEach(() => {
  folder = folderWith()
  coverageFile = join(folder, 'coverage.json')
})

const written = (): SeenByClients => parseCoverage(readFileSync(coverageFile, 'utf8'), coverageFile)
const endings = () => endingsIn(written().names)
const start = () => createSandbox({ keys: KEY_FILE, coverageFile })

test('A sandbox that is closed leaves a coverage file with what it delivered, and nothing beside it', async () => {
  const sandbox = await start()
  await createRelyingParty(createClient(sandbox.baseUrl)).use()
  await sandbox.close()
  expect(endings()).toEqual(['verified'])
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
    expect(endings()).toContain('verified')
  }
  await vi.waitFor(useUntilWritten, { timeout: 5_000 })
  await sandbox.coverage.clear()
  await vi.waitFor(() => expect(endings()).toEqual([]), { timeout: 5_000 })
})

/** A coverage file that follows a journal, and how often its state was read. */
async function follow() {
  const file = await openCoverageFile(coverageFile, {})
  const journal = file.watch(createMemoryJournal())
  const reads = { count: 0 }
  file.begin(async () => {
    reads.count++
    const names = [...(await journal.seen.read('default')).keys()]
    return described(seenOf({ names }))
  })
  return { file, reads, see: (name: string) => journal.seen.add('default', [[name, '']]), journal }
}

test('A coverage file is written once a second, however much is counted, and at the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { file, reads, see } = await follow()
  for (let calls = 1; calls <= 300; calls++) {
    await see(`row use/${calls}`)
    await vi.advanceTimersByTimeAsync(10)
    // Waits for the file of this second.
    if (calls % 100 === 0) await file.flush()
  }
  await see('row use/last')
  await file.flush()
  expect(reads.count).toBe(1 + 3 + 1)
})

test('A coverage file has a change that came while the file was written', async () => {
  const { file, see } = await follow()
  await see('row use/first')
  const first = file.flush()
  await see('row use/second')
  await Promise.all([first, file.flush(), file.flush()])
  expect(written().names).toEqual(['row use/first', 'row use/second'])
})

test('A coverage file follows what a call shows', async () => {
  const { file, journal } = await follow()
  await file.flush()
  await journal.record('default', useFlowEntry({ seen: [['row use/verified', '']] }))
  await file.flush()
  expect(written().names).toEqual(['row use/verified'])
})

test('A coverage file follows the clearing of a journal', async () => {
  const { file, journal, see } = await follow()
  await see('row use/verified')
  await file.flush()
  await journal.seen.clear('default')
  await file.flush()
  expect(written().names).toEqual([])
})

test('A coverage file is not written again by calls that show nothing', async () => {
  const { file, journal, reads } = await follow()
  await file.flush()
  await journal.record('default', useFlowEntry())
  await file.flush()
  expect(reads.count).toBe(1)
})

test('A coverage file is whole at each moment, although two sandboxes write it', async () => {
  const files = await Promise.all([follow(), follow()])
  await Promise.all(files.map(({ file }) => file.flush()))
  let isDone = false
  const act = async ({ file, see }: (typeof files)[number], letter: string) => {
    for (let n = 0; n < 15; n++) {
      await see(`row use/${letter}${n}`)
      await file.flush()
    }
  }
  const look = async () => {
    while (!isDone) {
      expect(written().format).toBe(2)
      await new Promise(setImmediate)
    }
  }
  const [one, other] = files
  const acted = Promise.all([act(one, 'a'), act(other, 'b')]).finally(() => {
    isDone = true
  })
  await Promise.all([acted, look()])
  expect(written().names).toHaveLength(15)
})

test('A coverage file of an earlier run is replaced, also by a run that delivers nothing', async () => {
  writeFileSync(coverageFile, JSON.stringify({ ...seenOf({ names: ['row use/old'] }), format: 99 }))
  await (await start()).close()
  expect(written().names).toEqual([])
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
