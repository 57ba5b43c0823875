import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { makeProject } from '../support/project.ts'
import { describeWith, PYTHON } from '../support/tools.ts'
import { describeApp, type StartApp } from './describe-app.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'
import { createScratchFolder } from './scratch-folder.ts'

const environment = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }

const filesIn = (folder: string, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, readRoot(`examples/${folder}/${name}`)]))

const FLASK = filesIn('flask', ['age.py', 'app.py'])
const DJANGO = filesIn('django', ['age.py', 'settings.py'])

/** The Flask example with the tests that testing.md shows. */
const TESTED: Readonly<Record<string, string>> = {
  ...FLASK,
  ...Object.fromEntries(
    ['conftest.py', 'test_age.py'].map((name) => [
      name,
      blockWith(codeBlocks(readPage('testing.md'), 'python'), `# ${name}`),
    ]),
  ),
}

/** Starts an app by the server of its framework. */
const startApp =
  (
    files: Readonly<Record<string, string>>,
    commandAt: (port: string) => readonly string[],
  ): StartApp =>
  async ({ baseUrl, url: serverUrl }) => {
    const { folder, remove } = createScratchFolder()
    for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code)
    const port = `${await findFreePort()}`
    const path = { PATH: process.env['PATH'], PYTHONPATH: folder }
    const env = { ...environment, ...path, AGE_BASE_URL: baseUrl, AGE_SERVER_URL: serverUrl }
    const app = spawn(PYTHON, ['-m', ...commandAt(port)], { cwd: folder, env, stdio: 'ignore' })
    const url = `http://localhost:${port}`
    await vi.waitFor(() => fetch(`${url}/verify`, { redirect: 'manual' }), {
      timeout: 60_000,
      interval: 200,
    })
    const stop = () => {
      app.kill()
      remove()
    }
    return { url, stop }
  }

const unknownType = 'jwks/jwks.unknown_key_type'

describeWith('python', 'With Flask and Authlib', () => {
  const start = startApp(FLASK, (port) => ['flask', '--app', 'app', 'run', '--port', port])
  describeApp('The Flask example', start, {
    isUseAlone: true,
    known: [{ row: unknownType, because: 'Authlib reads no key set that holds an unknown type' }],
  })
})

describeWith('python', 'With Django and PyJWT', () => {
  const start = startApp(DJANGO, (port) => [
    'django',
    'runserver',
    port,
    '--settings',
    'settings',
    '--noreload',
  ])
  describeApp('The Django example', start, {
    isUseAlone: true,
    known: [{ row: unknownType, because: 'PyJWT reads no key set that holds an unknown type' }],
  })
})

describeWith('python', 'With pytest', async () => {
  const project = await makeProject()

  /** Runs the tests of testing.md, with another text in one of the files. */
  async function runPytest(file = 'age.py', from = '', to = '') {
    expect(TESTED[file]).toContain(from)
    project.write({ ...TESTED, [file]: TESTED[file]?.replace(from, () => to) ?? '' })
    return (
      await project.run(PYTHON, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], environment)
    ).stdout
  }

  test('The tests of testing.md pass', async () => {
    expect(await runPytest()).toContain('6 passed')
  })

  test('The tests of testing.md fail against an app that lets every user in', async () => {
    const careless = await runPytest(
      'age.py',
      'nonce = asked(answer)',
      'return "Welcome, you are 18."',
    )
    expect(careless).toContain('4 failed, 2 passed')
  })

  test('The tests of testing.md leave no sandbox running', async () => {
    // As npm's does, it passes no signal on.
    project.write({ 'node_modules/.bin/npx': '#!/bin/sh\n"$(dirname "$0")/$@"\n:\n' })
    expect(await runPytest()).toContain('6 passed')
    const folders = await project.run('sh', ['-c', 'cd / && readlink /proc/[0-9]*/cwd'])
    expect(folders.stdout.split('\n')).not.toContain(project.folder)
  })

  test('A name in a test of testing.md that does not exist is an error in words of the sandbox', async () => {
    const misspelt = await runPytest('test_age.py', 'persona="child-12"', 'persona="child-21"')
    expect(misspelt).toContain('Did you mean "child-12"')
  })
})
