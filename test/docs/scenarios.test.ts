import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { parseScenario, readScenarioText } from '../../src/sandbox/scenarios/scenario-file.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { startExpressExample } from '../support/express-example.ts'
import { startSandbox } from '../support/sandbox.ts'
import { visit } from '../support/visit.ts'

const ENDS = '  if (request.query.error !== undefined)'
const PUSHES_AGAIN = `  if (request.query.error === 'invalid_request_uri') return create(request, response)\n${ENDS}`

/** The Express example, which pushes a request again that has expired: what it shows, when the sandbox decides. */
async function start() {
  const sandbox = await startSandbox()
  const app = await startExpressExample(sandbox, [[ENDS, PUSHES_AGAIN]])
  onTestFinished(() => app.stop())
  const options = { sandboxUrl: sandbox.baseUrl, decide: async () => ({}) }
  return { sandbox, verify: async () => (await visit(`${app.url}/verify`, options)).page?.text }
}

/** Arms an example of the documentation against the app. */
async function play(name: string) {
  const { sandbox, verify } = await start()
  const file = fileURLToPath(new URL(`../../docs/scenarios/${name}.yaml`, import.meta.url))
  const personas = (await sandbox.personas.list()).map((persona) => persona.name)
  const { id } = await sandbox.scenarios.arm(parseScenario(readScenarioText(file), { file, personas }))
  return { verify, sandbox, progress: () => sandbox.scenarios.get(id) }
}

test('In an example of the documents a teen gives up, and an adult comes back', async () => {
  const { verify, progress } = await play('teen-then-adult')
  expect([await verify(), await verify()]).toEqual(['No age was proved.', 'Welcome, you are 18.'])
  expect(await progress()).toMatchObject({ status: 'passed' })
})

test('In an example of the documents a request_uri that expired is pushed again', async () => {
  const { verify, progress, sandbox } = await play('expired-request-uri')
  expect(await verify()).toContain('Your age key is saved.')
  expect(await progress()).toMatchObject({ status: 'passed' })
  expect(await sandbox.personas.get('no-age-key')).toHaveProperty('age_key')
})

test('In an example of the documents an age key that reaches no threshold is upgraded', async () => {
  const { verify, progress } = await play('upgrade-after-all-false')
  expect([await verify(), await verify()]).toEqual([expect.stringContaining('says more'), 'Welcome, you are 18.'])
  expect(await progress()).toMatchObject({ status: 'passed' })
})

test('The example in the document on scenarios is a scenario', () => {
  const text = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? []
  expect(parseYamlDocument(yaml, { file: 'docs/scenarios.md', schema: scenarioSchema }).steps).toHaveLength(5)
})

test('An app that forgets to send what a scenario expects fails the scenario, and the page decides', async () => {
  const { sandbox, verify } = await start()
  const steps = [{ decide: { flow: 'use', persona: 'teen-16' }, expect: { claims: { age_thresholds: [21] } } } as const]
  const { id } = await sandbox.scenarios.arm({ name: 'Another threshold', steps })
  expect(await verify()).toContain('wants to check your age')
  const failed = { status: 'failed', detail: 'claims.age_thresholds[0]: expected 21, came 18' }
  expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'failed', steps: [failed] })
})
