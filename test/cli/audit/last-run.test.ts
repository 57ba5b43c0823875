import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'
import { buildCli } from '../built-cli.ts'
import { MIXED } from './reports/sample-report.ts'
import { startSmallApp } from './small-app.ts'

const { run, start, packageFolder } = await buildCli()

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-last-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const AUDIT = '/_sandbox/console/audit'

test('a sandbox that the command line started shows the last audit of its folder, each time as it is then', async () => {
  const port = await findFreePort()
  await start(['start', '--port', String(port), '--state-dir', 'none'], { cwd })
  const read = async () => (await fetch(`http://localhost:${port}${AUDIT}`)).text()
  expect(await read()).not.toContain('data-testid="headline"')
  mkdirSync(join(cwd, '.agekey-audit'))
  writeFileSync(join(cwd, '.agekey-audit/last.json'), JSON.stringify(MIXED))
  expect(await read()).toContain('data-testid="headline"')
})

test('a sandbox that a program started reads no audit of its folder', () => {
  mkdirSync(join(cwd, '.agekey-audit'))
  writeFileSync(join(cwd, '.agekey-audit/last.json'), JSON.stringify(MIXED))
  const script = `import { createSandbox } from ${JSON.stringify(join(packageFolder, 'dist/index.js'))}
    const sandbox = await createSandbox()
    console.log(await (await fetch(sandbox.url + '${AUDIT}')).text())
    await sandbox.close()`
  const page = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' })
  expect(page).toContain('data-testid="open"')
  expect(page).not.toContain('data-testid="headline"')
})

test('a whole audit says where its verdicts can be looked at while the sandbox runs', async () => {
  const port = await findFreePort()
  await start(['start', '--port', String(port), '--state-dir', 'none'], { cwd })
  const app = await startSmallApp(`http://localhost:${port}`, { careful: false })
  const sandbox = ['--port', String(port), '--state-dir', 'none']
  const address = `http://localhost:${port}${AUDIT}`
  const part = await run(['audit', app.page, ...sandbox, '--only', 'use/id_token.expired'], { cwd })
  expect(part.stdout).not.toContain(address)
  const whole = await run(['audit', app.page, ...sandbox, '--jobs', '8'], { cwd })
  expect(whole.stdout).toContain(`All verdicts by family, with their flows: ${address} (.agekey-audit/last.json)\n`)
  const page = await (await fetch(address)).text()
  expect(page).toMatch(/<a class="target" href="\/_sandbox\/console\/flows\/f\d+">/)
  expect(page).not.toContain('Flows without a link')
}, 60_000)
