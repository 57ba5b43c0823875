import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeProject } from '../support/project.ts'
import { describeWith, PYTHON } from '../support/tools.ts'
import { environment, startFlaskApp, writeFiles } from './apps/flask-app.ts'
import { describeApp } from './describe-app.ts'

describeWith('python', 'With Flask and Authlib', () => {
  describeApp('The blueprint of integration-python.md', startFlaskApp, [
    { row: 'jwks/jwks.unknown_key_type', because: 'Authlib reads no key set that holds an unknown type' },
  ])
})

describeWith('python', 'With pytest', async () => {
  const project = await makeProject()

  /** Runs the tests of testing-pytest.md, with another text in one of the files. */
  async function runPytest(file = 'age.py', from = '', to = '') {
    const path = join(writeFiles(project.folder), file)
    const code = readFileSync(path, 'utf8')
    expect(code).toContain(from)
    writeFileSync(
      path,
      code.replace(from, () => to),
    )
    return (await project.run(PYTHON, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], environment)).stdout
  }

  test('the tests of testing-pytest.md pass', async () => {
    expect(await runPytest()).toContain('6 passed')
  })

  test('the tests of testing-pytest.md fail against an app that lets every user in', async () => {
    const careless = await runPytest('age.py', 'nonce = asked("age_use", answer)', 'return "Welcome, you are 18."')
    expect(careless).toContain('4 failed, 2 passed')
  })

  test('a name in a test of testing-pytest.md that does not exist is an error in the words of the sandbox', async () => {
    const misspelt = await runPytest('test_age.py', 'persona="child-12"', 'persona="child-21"')
    expect(misspelt).toContain('Did you mean "child-12"')
  })
})
