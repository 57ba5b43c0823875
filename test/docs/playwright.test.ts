import { expect, test } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { makeProject, PLAYWRIGHT } from '../support/project.ts'
import { chromiumOfRun } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'

const examples = codeBlocks(readPage('library.md'), 'ts')

/** The config of the page in one of its ways to start a sandbox, with the browser of this run. */
const LOCAL_CONFIG = `
import shown from './playwright.config.ts'
const connectOptions = JSON.parse(process.env.CHROMIUM)
const [sandbox, app] = shown.webServer
const server = { ...app, env: { ...app.env, PORT: new URL(app.url).port } }
const start = process.env.IS_GLOBAL ? { globalSetup: './global-setup.ts' } : { webServer: [sandbox, server] }
export default { ...shown, webServer: [], ...start, workers: 2, reporter: 'line', use: { ...shown.use, connectOptions } }`

/** Tests without a page, in as many workers. */
const SHARED = `
import { test as base, expect } from '@playwright/test'
import { sandboxFixtures } from 'agekey-sandbox/playwright'
const test = base.extend(sandboxFixtures({ url: 'http://localhost:2435' }))
for (const n of [1, 2]) test('worker ' + n, async ({ sandbox }) => expect(await sandbox.flows.list()).toEqual([]))`

describeWith('chromium', 'Playwright runs the examples of library.md:', async () => {
  const project = await makeProject(...PLAYWRIGHT, 'express', 'jose')
  project.write({ 'app.js': readRoot('examples/express/app.js'), 'local.config.ts': LOCAL_CONFIG })

  /** Runs the tests of some files, at addresses that are free. */
  async function play(start: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const [app, sandbox] = [await findFreePort(), await findFreePort()]
    const shown = ['playwright.config.ts', 'global-setup.ts', 'shop.spec.ts', 'parallel.spec.ts']
    const files = {
      ...Object.fromEntries(shown.map((name) => [name, blockWith(examples, `// ${name}`)])),
      'shared.spec.ts': SHARED,
    }
    for (const [name, text] of Object.entries(files))
      project.write({ [name]: text.replaceAll('3000', `${app}`).replaceAll('2435', `${sandbox}`) })
    const program = ['node_modules/@playwright/test/cli.js', 'test', '-c', 'local.config.ts', ...args]
    const { code, stdout, stderr } = await project.run(process.execPath, program, {
      ...{ CI: '1', CHROMIUM: JSON.stringify(await chromiumOfRun()) },
      ...start,
    })
    return { code, output: stdout + stderr }
  }

  test('tests pass with an app and a sandbox that webServer starts, and parallel ones with a tenant for each worker', async () => {
    const { code, output } = await play({}, 'shop.spec.ts', 'parallel.spec.ts')
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('6 passed') })
    expect(output).not.toMatch(/parallel\.spec\.ts.*\n.*AgekeySandboxWarning/)
  }, 90_000)

  test('workers that share one sandbox, which globalSetup starts, are warned', async () => {
    const { code, output } = await play({ IS_GLOBAL: 'yes' }, 'shared.spec.ts', '--fully-parallel')
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('2 passed') })
    expect(output).toMatch(/several Playwright workers use the sandbox at http:\/\/localhost:\d+, and each resets it/)
  }, 90_000)
})
