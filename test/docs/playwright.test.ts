import { expect, test } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { makeProject, PLAYWRIGHT, PLAYWRIGHT_TEST } from '../support/project.ts'
import { chromiumOfRun } from '../support/run.ts'
import { describeWith } from '../support/tools.ts'
import { blockWith, codeBlocks, readPage, readRoot } from './page.ts'

const examples = codeBlocks(readPage('library.md'), 'ts')

/**
 * The config of the page, with the browser of this run. The sandbox of `globalSetup` stands beside
 * that of `webServer`.
 */
const LOCAL_CONFIG = `
import shown from './playwright.config.ts'
const connectOptions = JSON.parse(process.env.CHROMIUM)
const [sandbox, app] = shown.webServer
const webServer = [sandbox, { ...app, env: { ...app.env, PORT: new URL(app.url).port } }]
const settings = { webServer, workers: 2, globalSetup: './global-setup.ts', reporter: 'line' }
export default { ...shown, ...settings, use: { ...shown.use, connectOptions } }`

/** Tests without a page. */
const GLOBAL = `
import { test, expect } from '@playwright/test'
import { connectSandbox } from 'agekey-sandbox'
test('the sandbox of globalSetup answers', async () =>
  expect(await connectSandbox('http://localhost:2435').flows.list()).toEqual([]))`

describeWith('chromium', 'The examples of library.md for Playwright', () => {
  test('The tests of library.md pass in Playwright', async () => {
    const project = await makeProject(...PLAYWRIGHT, 'express', 'jose')
    const shown = ['playwright.config.ts', 'shop.spec.ts', 'parallel.spec.ts', 'global-setup.ts']
    const [app, sandbox, globalSandbox] = [
      await findFreePort(),
      await findFreePort(),
      await findFreePort(),
    ]
    const files = Object.fromEntries(shown.map((name) => [name, blockWith(examples, `// ${name}`)]))
    for (const [name, text] of Object.entries({ ...files, 'global.spec.ts': GLOBAL })) {
      const port = name.startsWith('global') ? globalSandbox : sandbox
      project.write({ [name]: text.replaceAll('3000', `${app}`).replaceAll('2435', `${port}`) })
    }
    project.write({
      'app.js': readRoot('examples/express/app.js'),
      'local.config.ts': LOCAL_CONFIG,
    })
    const env = { CI: '1', CHROMIUM: JSON.stringify(await chromiumOfRun()) }
    const { code, stdout, stderr } = await project.run(
      process.execPath,
      [...PLAYWRIGHT_TEST, '-c', 'local.config.ts'],
      env,
    )
    expect({ code, output: stdout + stderr }).toEqual({
      code: 0,
      output: expect.stringContaining('7 passed'),
    })
    expect(stdout + stderr).not.toMatch(/parallel\.spec\.ts.*\n.*AgekeySandboxWarning/)
  }, 90_000)
})
