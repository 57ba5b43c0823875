import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SandboxOptions } from '../../src/server/create-sandbox.ts'
import { createAppBrowser } from '../docs/app-browser.ts'
import { findFreePort } from '../support/free-port.ts'
import { startSandbox } from '../support/sandbox.ts'
import { readExample } from './examples.ts'

const HTTPD = '/usr/sbin/apache2'
const MODULE = '/usr/lib/apache2/modules/mod_auth_openidc.so'

const hasApache = existsSync(MODULE) && spawnSync(HTTPD, ['-v']).status === 0
if (!hasApache) console.warn(`SKIPPED of docs/clients.md: Apache, because there is no ${HTTPD} or no ${MODULE}`)

/** What surrounds the block in a server that has nothing else to do. */
const configuration = (folder: string, port: string) => `
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
Listen 127.0.0.1:${port}
ServerName localhost:${port}
ErrorLog ${folder}/error.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
DocumentRoot ${folder}
User nobody
Group nogroup
Include ${folder}/age.conf
`

/** Apache in the foreground with the block of the page, for one test. */
async function start(mode = 'query', options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options)
  const port = `${await findFreePort()}`
  const url = `http://localhost:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'agekey-sandbox-apache-'))
  chmodSync(folder, 0o755)
  const replacements = {
    'http://localhost:2435': sandbox.baseUrl,
    'http://localhost:3000': url,
    'OIDCResponseMode query': `OIDCResponseMode ${mode.replace('FOLDER', folder)}`,
  }
  writeFileSync(join(folder, 'age.conf'), readExample('apache', '# age.conf', replacements))
  writeFileSync(join(folder, 'certificate.pem'), sandbox.certificate?.pem ?? '')
  writeFileSync(join(folder, 'verify'), 'Welcome.')
  writeFileSync(join(folder, 'apache.conf'), configuration(folder, port))
  const server = spawn(HTTPD, ['-X', '-f', join(folder, 'apache.conf')], { stdio: 'ignore' })
  const readLog = () => readFileSync(join(folder, 'error.log'), 'utf8')
  onTestFinished(() => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await vi.waitFor(() => fetch(url, { redirect: 'manual' }), { timeout: 20_000 }).catch(() => expect.fail(readLog()))
  const verify = `${url}/verify`
  return {
    sandbox,
    readLog,
    visit: () => createAppBrowser().visit(verify),
    begin: () => createAppBrowser().send(verify),
  }
}

describe.skipIf(!hasApache)('mod_auth_openidc', () => {
  test.each(['query', 'form_post'])('lets an adult in and keeps a teenager out by %s', async (mode) => {
    const { sandbox, visit } = await start(mode)
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200, text: 'Welcome.' })
    await sandbox.next({ persona: 'teen-16' })
    expect(await visit()).toMatchObject({ status: 401 })
  })

  test('reads a token that is signed by ES256', async () => {
    const { sandbox, visit } = await start('query', { signingAlg: 'ES256' })
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200, text: 'Welcome.' })
  })

  test('finds the service over https when OIDCCABundlePath names the certificate, and only then', async () => {
    const stranger = await start('query', { https: true })
    expect(await stranger.begin()).toMatchObject({ status: 500 })
    expect(stranger.readLog()).toContain('certificate')
    const { sandbox, begin } = await start('query\nOIDCCABundlePath FOLDER/certificate.pem', { https: true })
    expect(await begin()).toMatchObject({ status: 302, location: expect.stringContaining(sandbox.baseUrl) })
  })

  test.each([
    ['id_token.signature_bit_flipped', 'signature verification failed'],
    ['id_token.nonce_of_earlier_flow', 'the nonce value'],
  ])('refuses %s for that reason', async (outcome, reason) => {
    const { sandbox, visit, readLog } = await start()
    await sandbox.next({ persona: 'adult-passport' })
    expect(await visit()).toMatchObject({ status: 200 })
    expect(readLog()).not.toContain(reason)
    await sandbox.next({ persona: 'adult-passport', outcome })
    // Its error page has the status 200.
    expect(await visit()).toMatchObject({ text: expect.stringContaining('Error') })
    expect(readLog()).toContain(reason)
  })
})
