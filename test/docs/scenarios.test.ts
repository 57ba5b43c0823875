import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parseYamlDocument } from '../../src/sandbox/files/yaml-document.ts'
import { parseScenario, readScenarioText } from '../../src/sandbox/queue/scenario-file.ts'
import { scenarioSchema } from '../../src/sandbox/queue/scenario-schema.ts'
import { startExpressExample } from '../support/express-example.ts'
import { startSandbox } from '../support/sandbox.ts'
import { createAppBrowser } from './app-browser.ts'
import { codeBlocks, readPage } from './page.ts'

const ENDS = '  if (request.query.error !== undefined)'
const PUSHES_AGAIN = `  if (request.query.error === 'invalid_request_uri') return create(request, response)\n${ENDS}`
const WELCOME = 'Welcome, you are 18.'

test.each([
  ['teen-then-adult', ['No age was proved', WELCOME]],
  ['upgrade-after-all-false', ['Your age key says more now', WELCOME]],
  ['expired-request-uri', ['Your age key is saved']],
])(
  'The scenario %s passes with the Express example, which pushes an expired request again',
  async (name, shown) => {
    const sandbox = await startSandbox()
    const app = await startExpressExample(sandbox, [[ENDS, PUSHES_AGAIN]])
    onTestFinished(() => app.stop())
    const file = fileURLToPath(new URL(`../../docs/scenarios/${name}.yaml`, import.meta.url))
    const personas = (await sandbox.personas.list()).map((persona) => persona.name)
    const { id } = await sandbox.scenarios.arm(
      parseScenario(readScenarioText(file), { file, personas }),
    )
    for (const text of shown)
      expect((await createAppBrowser().visit(`${app.url}/verify`)).text).toContain(text)
    expect(await sandbox.scenarios.get(id)).toMatchObject({ status: 'passed' })
  },
)

test.each([
  ['driving.md', 5],
  ['console.md', 1],
])('The example of %s is a scenario of %d steps', (file, steps) => {
  const [yaml = ''] = codeBlocks(readPage(file), 'yaml')
  expect(parseYamlDocument(yaml, { file, schema: scenarioSchema }).steps).toHaveLength(steps)
})
