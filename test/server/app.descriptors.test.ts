import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FILES_OF_A_PART } from '../../src/files/on-demand.ts'
import { buildPackage } from '../support/built-package.ts'

const packageFolder = mkdtempSync(join(tmpdir(), 'agekey-descriptors-'))
await buildPackage(packageFolder)
afterAll(() => rmSync(packageFolder, { recursive: true }))

/**
 * A process that can have 60 files open calls a sandbox of its own. It opens as many files as it can, but for the
 * descriptors that a call needs, and closes them again.
 */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs'
  import { createSandbox } from './dist/index.js'

  const sandbox = await createSandbox()
  const call = async (path) => {
    const response = await fetch(sandbox.url + path, { headers: { connection: 'close' } })
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
  const paths = PATHS
  const answers = []
  for (const path of paths) {
    useUp(4)
    const without = await call(path)
    free()
    answers.push({ path, without, after: await call(path) })
  }
  console.log(JSON.stringify(answers))
  await sandbox.close()`

interface Answered {
  readonly path: string
  readonly without: { readonly status: number; readonly retryAfter: string | null; readonly text: string }
  readonly after: { readonly status: number }
}

async function callWithoutDescriptors(paths: readonly string[]): Promise<readonly Answered[]> {
  const program = PROGRAM.replace('PATHS', JSON.stringify(paths))
  const command = [process.execPath, '--input-type=module', '--eval', program]
  const child = spawn('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', ...command], { cwd: packageFolder })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const use = new URLSearchParams({
  scope: 'openid',
  response_type: 'id_token',
  client_id: 'ak_test_sandbox',
  redirect_uri: 'http://localhost:3000/callback',
  state: 's',
  nonce: 'n',
  claims: '{"age_thresholds":[18]}',
})

test.each([
  ['the pages and control calls', '/_sandbox/health'],
  ['the choice page', `/v1/oidc/use?${use}`],
  ['the page that says what is wrong with a request', '/v1/oidc/use'],
])('Without file descriptors %s cannot be loaded: 503 says so, and the next call loads them', async (_what, path) => {
  const [answered] = await callWithoutDescriptors([path])
  expect(answered?.without).toMatchObject({ status: 503, retryAfter: '1' })
  expect(JSON.parse(answered?.without.text ?? '')).toMatchObject({
    error: 'temporarily_unavailable',
    error_description: expect.stringMatching(/too many open files.*ulimit -n/),
  })
  expect(answered?.after.status).toBe(path === '/v1/oidc/use' ? 400 : 200)
})

test('No part of the bundle has more files of its own than are looked for before it is loaded', () => {
  const dist = join(packageFolder, 'dist')
  const named = (text: string, syntax: RegExp) => [...text.matchAll(syntax)].flatMap(([, name]) => name ?? [])
  const chunks = new Map(
    readdirSync(dist)
      .filter((name) => name.endsWith('.js'))
      .map((name) => {
        const text = readFileSync(join(dist, name), 'utf8')
        const imports = named(text, /(?:from|import) ?["`]\.\/([^"`]+)["`]/g)
        return [name, { imports, loads: named(text, /import\(["`]\.\/([^"`]+)["`]/g) }]
      }),
  )
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
