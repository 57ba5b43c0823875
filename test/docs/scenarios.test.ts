import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { parseScenario, readScenarioText } from '../../src/sandbox/scenarios/scenario-file.ts'
import { scenarioSchema } from '../../src/sandbox/scenarios/scenario-schema.ts'
import { startExampleApp } from '../support/example-app.ts'
import { startSandbox } from '../support/sandbox.ts'

/** Arms an example of the documentation against a small app. */
async function play(name: string) {
  const sandbox = await startSandbox()
  const app = await startExampleApp(sandbox.baseUrl)
  const file = fileURLToPath(new URL(`../../docs/scenarios/${name}.yaml`, import.meta.url))
  const personas = (await sandbox.personas.list()).map((persona) => persona.name)
  const { id } = await sandbox.scenarios.arm(parseScenario(readScenarioText(file), { file, personas }))
  return { ...app, sandbox, progress: () => sandbox.scenarios.get(id) }
}

test('a teen gives up, and an adult comes back', async () => {
  const { visit, progress } = await play('teen-then-adult')
  expect(await visit('/verify')).toEqual({ result: 'access_denied' })
  expect(await visit('/verify')).toMatchObject({ result: 'verified', thresholds: { 18: true } })
  expect(await progress()).toMatchObject({ status: 'passed' })
})

test('a request_uri that expired is pushed again', async () => {
  const { visit, progress, sandbox } = await play('expired-request-uri')
  expect(await visit('/verify')).toEqual({ result: 'created' })
  expect(await progress()).toMatchObject({ status: 'passed' })
  expect(await sandbox.personas.get('no-age-key')).toHaveProperty('age_key')
})

test('an age key that reaches no threshold is upgraded', async () => {
  const { visit, progress } = await play('upgrade-after-all-false')
  expect(await visit('/verify')).toMatchObject({ result: 'upgraded', thresholds: { 18: false } })
  expect(await visit('/verify')).toMatchObject({ result: 'verified', thresholds: { 18: true } })
  expect(await progress()).toMatchObject({ status: 'passed' })
})

test('the example in the documentation is a scenario', () => {
  const text = readFileSync(new URL('../../docs/scenarios.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? []
  expect(parseYamlDocument(yaml, { file: 'docs/scenarios.md', schema: scenarioSchema }).steps).toHaveLength(5)
})

test('an app that forgets to send what a scenario expects fails it, and the page decides', async () => {
  const sandbox = await startSandbox()
  const app = await startExampleApp(sandbox.baseUrl)
  const { id } = await sandbox.scenarios.arm({
    name: 'Another threshold',
    steps: [{ decide: { flow: 'use', persona: 'teen-16' }, expect: { claims: { age_thresholds: [21] } } }],
  })
  await expect(app.visit('/verify')).rejects.toThrow(SyntaxError)
  expect(await sandbox.scenarios.get(id)).toMatchObject({
    status: 'failed',
    steps: [{ status: 'failed', detail: 'claims.age_thresholds[0]: expected 21, came 18' }],
  })
})
