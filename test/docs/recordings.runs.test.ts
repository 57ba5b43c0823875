import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import type { Flow, RecordingName } from '../../src/client/shapes/flow.ts'
import { parseScenario } from '../../src/sandbox/scenarios/scenario-file.ts'
import { makePlaywrightProject } from '../support/playwright-project.ts'
import { recordFlows } from '../support/recorded-flows.ts'
import { basic } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A folder with each flow of a sandbox as a file. */
async function exported(sandbox: TestSandbox, as: RecordingName): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-recordings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const id of (await recordFlows(sandbox)).values()) {
    const { file_name: name, text } = await sandbox.flows.export(id, as)
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const resultsSchema = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), title: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

test('every flow runs unchanged as a test of Vitest', async () => {
  const folder = await exported(await startSandbox(), 'vitest')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const config = {
    test: { maxWorkers: 1, isolate: false },
    resolve: { alias: { 'agekey-sandbox/vitest': join(ROOT, 'src/vitest.ts') } },
  }
  writeFileSync(join(folder, 'vitest.config.js'), `export default ${JSON.stringify(config)}`)
  const program = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter=json']
  const env = { ...process.env, VITEST: undefined }
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: folder, env, maxBuffer: 1e8 }).catch(
    (failed) => failed,
  )
  const { testResults } = resultsSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))))
  const results = testResults.flatMap(({ assertionResults, message }) => [
    ...assertionResults,
    ...(message ? [{ status: 'failed', title: message, failureMessages: [] }] : []),
  ])
  expect(
    results.filter(({ status }) => status !== 'passed').map(({ title, failureMessages }) => [title, failureMessages]),
  ).toEqual([])
  expect(results.length).toBeGreaterThan(15)
}, 120_000)

test('every flow runs unchanged as a test of pytest', async ({ skip }) => {
  const python = await promisify(execFile)('python3', ['-c', 'import pytest, requests']).then(
    () => 'python3',
    () => '',
  )
  skip(python === '', 'there is no Python with pytest and requests')
  const sandbox = await startSandbox()
  const folder = await exported(sandbox, 'pytest')
  const env = { ...process.env, AGEKEY_SANDBOX_URL: sandbox.url }
  const run = promisify(execFile)(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short'], {
    cwd: folder,
    env,
  })
  const { stdout } = await run.catch((failed) => failed)
  expect(stdout).toMatch(/^22 passed/m)
}, 120_000)

test('every flow runs unchanged as a shell script with curl, and gets the same answers', async () => {
  const sandbox = await startSandbox()
  const folder = await exported(sandbox, 'curl')
  const env = { ...process.env, AGEKEY_SANDBOX_URL: sandbox.baseUrl, AGE_CLIENT_SECRET: 'sk_test_sandbox' }
  const before = (await sandbox.flows.list()).reverse()
  for (const flow of before) {
    await sandbox.reset()
    await promisify(execFile)('bash', [join(folder, `${flow.id}.sh`)], { env })
    const made = (await sandbox.flows.list()).reverse()
    expect(made.flatMap(answers), flow.id).toEqual(answers(flow))
  }
  expect(before).toHaveLength(22)
}, 120_000)

/** The status of each call, where a choice on a page is a part of its request. */
const answers = ({ calls }: Flow) =>
  calls
    .filter(({ endpoint }) => endpoint !== 'choice')
    .map(({ endpoint, status }) => [
      endpoint,
      status === 200 && calls.some((call) => call.endpoint === 'choice') ? 302 : status,
    ])

test('every flow runs as a scenario, when the same app does the same again', async () => {
  const recorder = await startSandbox()
  const flows = await recordFlows(recorder)
  const none: string[] = []
  for (const [name, id] of flows) {
    const flow = await recorder.flows.get(id)
    const file = await recorder.flows.export(id, 'scenario').catch((error: unknown) => {
      expect(String(error), name).toMatch(/makes no scenario.*take as=vitest/)
      none.push(name)
    })
    if (!file) continue
    const sandbox = await startSandbox()
    const scenario = parseScenario(file.text, {
      file: file.file_name,
      personas: (await sandbox.personas.list()).map((persona) => persona.name),
    })
    const { id: armed } = await sandbox.scenarios.arm(scenario)
    await sameAgain(flow, sandbox)
    expect(
      (await sandbox.scenarios.get(armed)).steps.filter(({ status }) => status !== 'passed'),
      `${name}\n${file.text}`,
    ).toEqual([])
  }
  expect(none).toEqual([
    'a user who waits',
    'a refused request',
    'an unknown client',
    'a code that nobody issued',
    'a wrong secret',
  ])
}, 120_000)

/** Repeats the calls of a flow as an app would. Codes, tokens and request_uris that the first run got are replaced by those of this run. */
async function sameAgain({ calls }: Flow, { baseUrl }: TestSandbox): Promise<void> {
  const issued: Record<string, string> = {}
  for (const { endpoint, method, path, parameters } of calls) {
    if (endpoint === 'choice') continue
    const pairs = Object.entries(parameters).map(([name, value]): [string, string] => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [name, name === 'client_secret' ? 'sk_test_sandbox' : (issued[name] ?? text)]
    })
    const isJson = endpoint === 'E5'
    const sent =
      method === 'GET'
        ? await fetch(`${baseUrl}${path}?${new URLSearchParams(pairs)}`, { redirect: 'manual' })
        : await fetch(`${baseUrl}${path}`, {
            method,
            headers: {
              ...(isJson && { authorization: `Bearer ${issued['access_token']}` }),
              ...(endpoint === 'E4' && { authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }),
              ...(isJson && { 'content-type': 'application/json' }),
            },
            body: isJson ? JSON.stringify(parameters) : new URLSearchParams(pairs),
          }).catch(() => undefined)
    const text = `${sent?.headers.get('location')} ${await sent?.text()}`
    for (const name of ['code', 'request_uri', 'access_token']) {
      const found = new RegExp(`[?#&]${name}=([^&\\s]+)|"${name}":"([^"]+)"`).exec(text)
      if (found) issued[name] = found[1] ?? found[2] ?? ''
    }
  }
}

test('flows of each kind run unchanged as tests of Playwright', async () => {
  const sandbox = await startSandbox()
  const flows = await recordFlows(sandbox)
  const files: Record<string, string> = {
    'playwright.config.ts': `export default { use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } }, workers: 1, reporter: 'json' }`,
  }
  for (const name of [
    'an upgrade',
    'form_post',
    'an expired request_uri',
    'a token call that is dropped',
    'a wrong secret',
  ]) {
    const { file_name: file, text } = await sandbox.flows.export(flows.get(name) ?? '', 'playwright')
    files[file] = text
  }
  const project = await makePlaywrightProject(files)
  onTestFinished(project.remove)
  expect(await project.run({})).toMatchObject({ stats: { expected: 5, unexpected: 0 }, errors: [] })
}, 120_000)
