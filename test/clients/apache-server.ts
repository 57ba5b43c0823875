import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { findFreePort } from '../support/free-port.ts'
import { readExample } from './examples.ts'

const HTTPD = '/usr/sbin/apache2'

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

/**
 * Apache in the foreground with the block of the page, for one test: the page that it protects, and
 * its log.
 */
export async function startApache(
  { baseUrl, certificate }: Pick<Sandbox, 'baseUrl' | 'certificate'>,
  mode = 'query',
): Promise<{ readonly verify: string; readLog(): string }> {
  const port = `${await findFreePort()}`
  const url = `http://localhost:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'agekey-sandbox-apache-'))
  chmodSync(folder, 0o755)
  const replacements = {
    'http://localhost:2435': baseUrl,
    'http://localhost:3000': url,
    'OIDCResponseMode query': `OIDCResponseMode ${mode.replace('FOLDER', folder)}`,
  }
  writeFileSync(join(folder, 'age.conf'), readExample('# age.conf', replacements))
  writeFileSync(join(folder, 'certificate.pem'), certificate?.pem ?? '')
  writeFileSync(join(folder, 'verify'), 'Welcome.')
  writeFileSync(join(folder, 'apache.conf'), configuration(folder, port))
  const server = spawn(HTTPD, ['-DFOREGROUND', '-f', join(folder, 'apache.conf')], {
    stdio: 'ignore',
  })
  const readLog = () => readFileSync(join(folder, 'error.log'), 'utf8')
  onTestFinished(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await vi
    .waitFor(() => fetch(url, { redirect: 'manual' }), { timeout: 20_000 })
    .catch(() => expect.fail(readLog()))
  return { verify: `${url}/verify`, readLog }
}
