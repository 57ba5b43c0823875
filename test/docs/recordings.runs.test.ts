import { afterAll, expect, test } from 'vitest'
import { parseScenario } from '../../src/sandbox/queue/scenario-file.ts'
import type { SandboxApi } from '../../src/server/client/sandbox-api.ts'
import type { Flow, RecordingName } from '../../src/server/client/shapes.ts'
import { RECORDING_NAMES } from '../../src/server/control/contract/recording-formats.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { useUrl } from '../browser/requests.ts'
import { createClient } from '../support/http-client.ts'
import { KEY_FILE } from '../support/keys.ts'
import { makeProject, PLAYWRIGHT } from '../support/project.ts'
import { recordFlows } from '../support/recorded-flows.ts'
import { basic } from '../support/requests.ts'
import { chromiumOfRun } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { codeIn, readPage, tableOf } from './page.ts'

const sandbox = await createSandbox({ keys: KEY_FILE })
afterAll(() => sandbox.close())
/** A flow of each kind, by what is special about it. */
const flows = new Map<string, Flow>()
for (const [name, id] of await recordFlows({ ...sandbox, ...createClient(sandbox.baseUrl) }))
  flows.set(name, await sandbox.flows.get(id))

test('console.md has a row for each format of a recording, in their order', () => {
  expect(tableOf(readPage('console.md'), 'Format').flatMap(([name]) => codeIn(name))).toEqual(
    RECORDING_NAMES,
  )
})

const project = await makeProject('vitest', ...PLAYWRIGHT)

/** Writes flows into the project, each as a file. */
async function write(
  as: RecordingName,
  names: readonly string[] = [...flows.keys()],
): Promise<void> {
  for (const name of names) {
    const { file_name: file, text } = await sandbox.flows.export(flows.get(name)?.id ?? '', as)
    project.write({ [file]: text })
  }
}

/** Runs the tests of the project, or those of one file. */
async function runVitest(...files: readonly string[]): Promise<unknown> {
  const config = {
    test: { maxWorkers: 1, isolate: false, testTimeout: 30_000, include: ['*.test.ts'] },
  }
  project.write({ 'vitest.config.js': `export default ${JSON.stringify(config)}` })
  const { stdout } = await project.runNode(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=json',
    ...files,
  )
  return JSON.parse(stdout)
}

test('Every recorded flow runs unchanged as a test of Vitest', async () => {
  await write('vitest')
  expect(await runVitest()).toMatchObject({ numTotalTests: 22, numPassedTests: 22, success: true })
}, 120_000)

test('Every recorded flow gets the same answers as a shell script with curl', async () => {
  await write('curl')
  const script =
    'for file in f*.sh; do AGEKEY_SANDBOX_URL="$0/t/$(basename "$file" .sh)" bash "$file"; done'
  const secret = { AGE_CLIENT_SECRET: 'sk_test_sandbox' }
  const { code, stderr } = await project.run('bash', ['-ec', script, sandbox.baseUrl], secret)
  expect(code, stderr).toBe(0)
  for (const flow of flows.values())
    expect(
      (await sandbox.tenant(flow.id).flows.list()).reverse().flatMap(answers),
      flow.id,
    ).toEqual(answers(flow))
}, 60_000)

test('A script with curl runs where the flow was', async () => {
  await write('curl', ['an upgrade'])
  const run = (env: Record<string, string>) =>
    project.run('bash', [`${flows.get('an upgrade')?.id}.sh`], env)
  const where = { AGEKEY_SANDBOX_URL: sandbox.baseUrl }
  expect(await run({ ...where, AGE_CLIENT_SECRET: 'sk_test_sandbox' })).toMatchObject({
    code: 0,
    stderr: '',
  })
})

test('A script with curl says that the secret is missing', async () => {
  await write('curl', ['an upgrade'])
  const run = (env: Record<string, string>) =>
    project.run('bash', [`${flows.get('an upgrade')?.id}.sh`], env)
  const where = { AGEKEY_SANDBOX_URL: sandbox.baseUrl }
  expect(await run(where)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('AGE_CLIENT_SECRET is missing'),
  })
})

test('A script with curl ends at an answer with another status', async () => {
  await write('curl', ['an upgrade'])
  const run = (env: Record<string, string>) =>
    project.run('bash', [`${flows.get('an upgrade')?.id}.sh`], env)
  const where = { AGEKEY_SANDBOX_URL: sandbox.baseUrl }
  const wrong = await run({ ...where, AGE_CLIENT_SECRET: 'wrong' })
  expect(wrong).toMatchObject({ code: 1, stderr: 'expected status 200, as it was recorded\n' })
}, 60_000)

test('A replayed answer is recorded with the earlier flow as it was', async () => {
  const recorded = sandbox.tenant('replayed')
  const [adult] = (await recorded.personas.list()).filter(({ name }) => name === 'adult-passport')
  await recorded.personas.put({
    ...adult,
    name: 'own',
    title: 'Own',
    purpose: 'No other sandbox has it.',
  })
  const earlier = { sandbox_persona: 'own', claims: '{"age_thresholds":[21]}' }
  const replay = { sandbox_persona: 'teen-16', sandbox_outcome: 'callback.replayed' }
  for (const changes of [{ ...earlier, state: 'earlier', nonce: 'earlier' }, replay])
    await fetch(useUrl(recorded, changes), { redirect: 'manual' })
  const { file_name: file, text } = await recorded.flows.export(
    (await recorded.flows.last())?.id ?? '',
    'vitest',
  )
  expect(text).toContain('toEqual({ 21: true })')
  project.write({ [`replayed-${file}`]: text })
  expect(await runVitest('replayed')).toMatchObject({ numTotalTests: 1, numPassedTests: 1 })
}, 60_000)

test.each(RECORDING_NAMES)(
  'A flow of which no call can be made again is refused by %s, but not by har',
  async (as) => {
    const recorded = sandbox.tenant('undecidable')
    await fetch(useUrl(recorded, { sandbox_persona: 'teen-61' }))
    const exported = recorded.flows.export((await recorded.flows.last())?.id ?? '', as)
    if (as === 'har') return expect((await exported).text).toContain('teen-61')
    await expect(exported).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(
        /no call .* can be made again\. E1 at \S+ was refused for what was to decide it.*Take as=har/,
      ),
    })
  },
)

test.each(['curl', 'vitest', 'playwright', 'pytest', 'har'] as const)(
  'A refusal that was asked for as JSON is asked for so again by %s',
  async (as) => {
    const recorded = sandbox.tenant(`json-${as}`)
    await fetch(`${recorded.baseUrl}/v1/oidc/use?client_id=nobody`, {
      headers: { accept: 'application/json' },
    })
    const { text } = await recorded.flows.export((await recorded.flows.last())?.id ?? '', as)
    expect(text).toMatch(/accept[\s\S]{1,40}application\/json/i)
    if (as === 'vitest') {
      expect(text).toMatch(/JSON\.parse\(use1\.text\)\)\.toMatchObject\(\{ error: '\w+' \}\)/)
      project.write({ 'asked-for-json.test.ts': text })
      expect(await runVitest('asked-for-json')).toMatchObject({
        numTotalTests: 1,
        numPassedTests: 1,
      })
    }
    if (as !== 'curl') return
    project.write({ 'refused.sh': text })
    const again = sandbox.tenant('json-again')
    const { stdout } = await project.run('bash', ['refused.sh'], {
      AGEKEY_SANDBOX_URL: again.baseUrl,
      AGE_CLIENT_SECRET: 'x',
    })
    expect(stdout).toMatch(
      /^HTTP\S+ 400[\s\S]*content-type: application\/json[\s\S]*"error":"\w+"/i,
    )
  },
  60_000,
)

/** The status of each call, where a choice on a page is a part of its request. */
const answers = ({ calls }: Flow) =>
  calls
    .filter(({ endpoint }) => endpoint !== 'choice')
    .map(({ endpoint, status }) => [
      endpoint,
      status === 200 && calls.some((call) => call.endpoint === 'choice') ? 302 : status,
    ])

test('Every recorded flow runs as a scenario, when the same app does the same again', async () => {
  const none: string[] = []
  for (const [name, flow] of flows) {
    const file = await sandbox.flows.export(flow.id, 'scenario').catch((error: unknown) => {
      expect(String(error), name).toMatch(/makes no scenario.*take as=vitest/)
      none.push(name)
    })
    if (!file) continue
    const tenant = sandbox.tenant(`scenario-${flow.id}`)
    const personas = (await tenant.personas.list()).map((persona) => persona.name)
    const { id } = await tenant.scenarios.arm(
      parseScenario(file.text, { file: file.file_name, personas }),
    )
    await sameAgain(flow, tenant)
    expect((await tenant.scenarios.get(id)).status, `${name}\n${file.text}`).toBe('passed')
  }
  const refused = [
    'a refused request',
    'an unknown client',
    'a code that nobody issued',
    'a wrong secret',
  ]
  expect(none).toEqual(['a user who waits', ...refused])
}, 60_000)

/**
 * Repeats the calls of a flow as an app would. Codes, tokens and request_uris that the first run
 * got are replaced by those of this run.
 */
async function sameAgain({ calls }: Flow, { baseUrl }: SandboxApi): Promise<void> {
  const issued: Record<string, string> = {}
  for (const { endpoint, method, path, parameters } of calls) {
    if (endpoint === 'choice') continue
    const pairs = Object.entries(parameters).map(([name, value]): [string, string] => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [name, name === 'client_secret' ? 'sk_test_sandbox' : (issued[name] ?? text)]
    })
    const form = new URLSearchParams(pairs)
    const headers = {
      ...(endpoint === 'E4' && { authorization: basic('ak_test_sandbox', 'sk_test_sandbox') }),
      ...(endpoint === 'E5' && {
        authorization: `Bearer ${issued['access_token']}`,
        'content-type': 'application/json',
      }),
    }
    const body = endpoint === 'E5' ? JSON.stringify(parameters) : form
    const address = `${baseUrl}${path}${method === 'GET' ? `?${form}` : ''}`
    const init: RequestInit = method === 'GET' ? { redirect: 'manual' } : { method, headers, body }
    const sent = await fetch(address, init).catch(() => undefined)
    const text = `${sent?.headers.get('location')} ${await sent?.text()}`
    for (const name of ['code', 'request_uri', 'access_token']) {
      const found = new RegExp(`[?#&]${name}=([^&\\s]+)|"${name}":"([^"]+)"`).exec(text)
      if (found) issued[name] = found[1] ?? found[2] ?? ''
    }
  }
}

describeWith('chromium', 'In Chromium', () => {
  test('Recorded flows of each kind run unchanged as tests of Playwright', async () => {
    const dropped = 'a token call that is dropped'
    await write('playwright', [
      'an upgrade',
      'form_post',
      'an expired request_uri',
      dropped,
      'a wrong secret',
    ])
    const use = { connectOptions: await chromiumOfRun() }
    const config = { use, workers: 1, reporter: 'json', testMatch: '*.spec.ts' }
    project.write({ 'playwright.config.ts': `export default ${JSON.stringify(config)}` })
    const { stdout } = await project.runNode('node_modules/@playwright/test/cli.js', 'test')
    expect(JSON.parse(stdout)).toMatchObject({ stats: { expected: 5, unexpected: 0 }, errors: [] })
  }, 60_000)
})
