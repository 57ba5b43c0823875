import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { configSchema } from '../../src/config/config-schema.ts'
import { FLAGS } from '../../src/config/text-settings.ts'
import { parseYamlDocument } from '../../src/files/yaml-document.ts'
import { press } from '../support/forms.ts'
import { findFreePort } from '../support/free-port.ts'
import { startSandbox } from '../support/sandbox.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'

const page = readPage('proxies.md')
const TOKEN = 'not-a-real-token'

const nginx = [process.env['NGINX_PATH'], '/usr/sbin/nginx', '/usr/local/bin/nginx'].find(
  (path) => path !== undefined && existsSync(path),
)
if (nginx === undefined)
  console.warn('NO NGINX: the blocks of proxies.md for it are not run. NGINX_PATH=... names one.')

vi.setConfig({ testTimeout: 60_000 })

test('the config file of proxies.md can be read, and its variables are settings', () => {
  const config = blockWith(codeBlocks(page, 'yaml'), '# agekey-sandbox.yaml')
  expect(parseYamlDocument(config, { file: 'proxies.md', schema: configSchema })).toBeDefined()
  const named = page.match(/AGEKEY_SANDBOX_[A-Z_]+/g) ?? []
  expect(named).toHaveLength(3)
  expect(named.filter((name) => !FLAGS.some(({ variable }) => variable === name))).toEqual([])
})

describe.skipIf(nginx === undefined)('Behind the nginx of proxies.md', () => {
  test('https: tokens, forms and the control API work by the name of the proxy alone', async () => {
    const port = await findFreePort()
    const baseUrl = `https://age.example:${port}`
    const sandbox = await startSandbox({ baseUrl, trustProxy: ['loopback'], controlToken: TOKEN })
    await startNginx(blockWith(codeBlocks(page, 'nginx'), '# nginx.conf'), {
      '443 ssl': `${port} ssl`,
      '127.0.0.1:2435': hostOf(sandbox.url),
    })

    const discovery = await call(port, '/v1/oidc/use/.well-known/openid-configuration')
    expect(JSON.parse(discovery.text)).toMatchObject({
      issuer: `${baseUrl}/v1/oidc/use`,
      jwks_uri: expect.stringContaining(baseUrl),
    })

    const shown = await call(port, `/v1/oidc/use?${ASKED}`)
    const { action, fields } = press(shown.text, 'persona-adult-passport')
    const path = new URL(action, baseUrl).pathname
    const chosen = await call(port, path, { form: `${fields}`, headers: { Origin: baseUrl } })
    expect(chosen).toMatchObject({ status: 303, location: expect.stringContaining('id_token=') })

    expect(await call(port, '/_sandbox/clock')).toMatchObject({ status: 401 })
    expect(await call(port, '/_sandbox/clock', { headers: { Authorization: `Bearer ${TOKEN}` } })).toMatchObject({
      status: 200,
    })
  })

  test('a redirect with a token of 64 KB comes through', async () => {
    const port = await findFreePort()
    const sandbox = await startSandbox({
      baseUrl: `https://age.example:${port}`,
      trustProxy: ['loopback'],
      controlToken: TOKEN,
    })
    await startNginx(blockWith(codeBlocks(page, 'nginx'), '# nginx.conf'), {
      '443 ssl': `${port} ssl`,
      '127.0.0.1:2435': hostOf(sandbox.url),
    })
    const huge = await call(port, `/v1/oidc/use?${ASKED}&sandbox_persona=adult-passport&sandbox_outcome=id_token.huge`)
    expect(huge.location?.length).toBeGreaterThan(60_000)
  })

  test.each([
    ['kept', (block: string) => block],
    ['cut off', (block: string) => block.replace(/(proxy_pass \S+);/, '$1/;')],
  ])('the path may be %s', async (_how, change) => {
    const port = await findFreePort()
    const baseUrl = `http://localhost:${port}/agekey`
    const sandbox = await startSandbox({ baseUrl, trustProxy: ['loopback'], controlToken: TOKEN })
    const block = change(blockWith(codeBlocks(page, 'nginx'), '# path.conf'))
    await startNginx(block, { 'listen 80': `listen ${port}`, '127.0.0.1:2435': hostOf(sandbox.url) })
    const discovery = await fetch(`${baseUrl}/v1/oidc/use/.well-known/openid-configuration`)
    expect(await discovery.json()).toMatchObject({ issuer: `${baseUrl}/v1/oidc/use` })
  })
})

const ASKED = new URLSearchParams({
  response_type: 'id_token',
  client_id: 'ak_test_sandbox',
  scope: 'openid',
  state: 's',
  nonce: 'n',
  redirect_uri: 'http://localhost:3000/callback',
  claims: '{"age_thresholds":[18]}',
})

const hostOf = (url: string) => new URL(url).host

/** Starts nginx with a block of the page, at addresses that are free here, for one test. */
async function startNginx(block: string, changes: Readonly<Record<string, string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-nginx-'))
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'age.example' }], { keyType: 'ec' })
  writeFileSync(join(folder, 'age.example.key'), key)
  writeFileSync(join(folder, 'age.example.pem'), cert)
  const server = Object.entries({ ...changes, '/etc/nginx/': `${folder}/` }).reduce((text, [from, to]) => {
    if (from !== '/etc/nginx/' && !text.includes(from)) throw new Error(`the block has no ${from}`)
    return text.replaceAll(from, to)
  }, block)
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`
  const config = `${main} events {} http { access_log off; ${kept.join(' ')}\n${server}\n}`
  writeFileSync(join(folder, 'all.conf'), config)
  const args = ['-c', join(folder, 'all.conf'), '-p', folder, '-e', join(folder, 'error.log')]
  execFileSync(`${nginx}`, [...args, '-t'], { stdio: 'pipe' })
  const process = spawn(`${nginx}`, args, { stdio: 'ignore' })
  onTestFinished(() => end(process, folder))
  const [, port = ''] = /listen (\d+)/.exec(server) ?? []
  await expect.poll(() => isOpen(Number(port)), { timeout: 10_000 }).toBe(true)
}

async function end(process: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => process.once('exit', resolve))
  process.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    get({ port, host: '127.0.0.1' }, (response) => resolve(response.resume() !== undefined)).on(
      'error',
      ({ message }) => resolve(!message.includes('ECONNREFUSED')),
    )
  })

interface Answer {
  readonly status: number | undefined
  readonly location: string | undefined
  readonly text: string
}

/** A call as a browser makes it that knows the proxy as https://age.example. */
function call(
  port: number,
  path: string,
  { form, headers = {} }: { form?: string; headers?: Record<string, string> } = {},
) {
  const sent = {
    ...headers,
    Host: `age.example:${port}`,
    ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
  }
  const to = { host: '127.0.0.1', port, path, method: form ? 'POST' : 'GET', headers: sent }
  return new Promise<Answer>((resolve, reject) => {
    const tls = { servername: 'age.example', rejectUnauthorized: false, maxHeaderSize: 256 * 1024 }
    const asked = request({ ...to, ...tls }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const { statusCode: status, headers: received } = response
      resolve({ status, location: received.location, text: Buffer.concat(chunks).toString() })
    })
    asked.on('error', reject).end(form)
  })
}
