import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { recordFlows } from '../support/recorded-flows.ts'
import { startSandbox } from '../support/sandbox.ts'
import { describeWith, PYTHON } from '../support/tools.ts'

describeWith('python', 'With pytest', async () => {
  const project = await makeProject()

  test('Every recorded flow runs unchanged as a test of pytest', async () => {
    const sandbox = await startSandbox()
    for (const id of (await recordFlows(sandbox)).values()) {
      const { file_name: file, text } = await sandbox.flows.export(id, 'pytest')
      project.write({ [file]: text })
    }
    const pytest = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short']
    expect(
      (await project.run(PYTHON, pytest, { AGEKEY_SANDBOX_URL: sandbox.baseUrl })).stdout,
    ).toMatch(/^22 passed/m)
  })
})
