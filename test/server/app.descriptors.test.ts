import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { FILES_OF_A_PART } from '../../src/sandbox/files/on-demand.ts'
import { useRequest } from '../support/requests.ts'
import { packageOfRun } from '../support/run.ts'

const packageFolder = await packageOfRun()

/**
 * A process that can have 60 files open opens all but what a call needs, and calls a sandbox of its
 * own.
 */
const CODE = `
  import { closeSync, openSync } from 'node:fs'
  import { createSandbox } from './dist/index.js'

  const sandbox = await createSandbox()
  const call = async (path) => {
    const response = await fetch(sandbox.baseUrl + path, { headers: { connection: 'close' } })
    const { status, headers } = response
    return { status, retryAfter: headers.get('retry-after'), text: await response.text() }
  }
  const descriptors = []
  const useUp = (left) => {
    try { for (;;) descriptors.push(openSync('/dev/null')) } catch {}
    for (const descriptor of descriptors.splice(-left)) closeSync(descriptor)
  }
  const free = () => { for (const descriptor of descriptors.splice(0)) closeSync(descriptor) }

  // What a call needs besides: the threads of fetch and the name of the host.
  await call('/.well-known/jwks.json')
  const answers = []
  for (const path of JSON.parse(process.argv[1])) {
    useUp(4)
    const without = await call(path)
    free()
    answers.push({ without, after: await call(path) })
  }
  console.log(JSON.stringify(answers))
  await sandbox.close()`

/**
 * Pages whose code is loaded when the first request comes, and what they are answered with when the
 * code is there.
 */
const LOADED_LATER: Readonly<Record<string, number>> = {
  [`/v1/oidc/use?${new URLSearchParams(useRequest())}`]: 200,
  '/v1/oidc/use': 400,
  '/_sandbox/health': 200,
}

const answer = z.object({ status: z.number(), retryAfter: z.string().nullable(), text: z.string() })

test('A part that cannot be loaded without file descriptors is loaded by the next call', async () => {
  const program = [
    process.execPath,
    '--input-type=module',
    '--eval',
    CODE,
    JSON.stringify(Object.keys(LOADED_LATER)),
  ]
  const { stdout, stderr } = spawn('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', ...program], {
    cwd: packageFolder,
  })
  const [printed, errors] = await Promise.all([text(stdout), text(stderr)])
  expect(errors).toBe('')
  const answers = z.array(z.object({ without: answer, after: answer })).parse(JSON.parse(printed))
  expect(answers.map(({ after }) => after.status)).toEqual(Object.values(LOADED_LATER))
  for (const { without } of answers) {
    expect(without).toMatchObject({ status: 503, retryAfter: '1' })
    expect(JSON.parse(without.text)).toMatchObject({
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(/too many open files.*ulimit -n/),
    })
  }
})

test('No part of the bundle has more files of its own than are looked for before it is loaded', () => {
  const dist = join(packageFolder, 'dist')
  const named = (code: string, syntax: RegExp) =>
    [...code.matchAll(syntax)].flatMap(([, name]) => name ?? [])
  const chunkOf = (name: string) => {
    const code = readFileSync(join(dist, name), 'utf8')
    const imports = named(code, /(?:from|import) ?["`]\.\/([^"`]+)["`]/g)
    return [name, { imports, loads: named(code, /import\(["`]\.\/([^"`]+)["`]/g) }] as const
  }
  const names = readdirSync(dist).filter((name) => name.endsWith('.js'))
  const chunks = new Map(names.map(chunkOf))
  const filesOf = (name: string, files = new Set<string>()): Set<string> => {
    if (files.has(name)) return files
    files.add(name)
    for (const imported of chunks.get(name)?.imports ?? []) filesOf(imported, files)
    return files
  }
  const atStart = filesOf('index.js')
  const parts = [...chunks.values()].flatMap(({ loads }) => loads)
  expect(parts.length).toBeGreaterThan(10)
  const counts = parts.map((part) => [...filesOf(part)].filter((file) => !atStart.has(file)).length)
  expect(Math.max(...counts)).toBeLessThanOrEqual(FILES_OF_A_PART)
  expect(Math.max(...counts)).toBeGreaterThan(1)
})
