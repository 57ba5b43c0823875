import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { generateCertificate } from '../../src/server/tls/self-signed.ts'
import { press } from '../support/forms.ts'
import { findFreePort } from '../support/free-port.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { describeWith } from '../support/tools.ts'
import { blockWith, codeBlocks, readPage } from './page.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const NGINX = '/usr/sbin/nginx'
const blocks = codeBlocks(readPage('addresses.md'), 'nginx')
const ASKED = new URLSearchParams(useRequest())

/**
 * Starts nginx with a block of the page before a sandbox, at addresses that are free here, for one
 * test.
 */
async function start(
  block: string,
  { listen, address }: { listen: string; address: (port: number) => string },
) {
  const port = await findFreePort()
  const baseUrl = address(port)
  const sandbox = await startSandbox({
    baseUrl,
    trustProxy: ['loopback'],
    controlToken: 'not-a-real-token',
  })
  const folder = makeScratchFolder()
  const { key, cert } = await generateCertificate(['age.example'], Date.now())
  writeFileSync(join(folder, 'age.example.key'), key)
  writeFileSync(join(folder, 'age.example.pem'), cert)
  expect(block).toContain(`listen ${listen}`)
  expect(block).toContain('127.0.0.1:2435')
  const server = block
    .replaceAll(`listen ${listen}`, `listen ${port}`)
    .replaceAll('127.0.0.1:2435', new URL(sandbox.url).host)
    .replaceAll('/etc/nginx/', `${folder}/`)
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;`
  writeFileSync(
    join(folder, 'all.conf'),
    `${main} events {} http { access_log off; ${kept.join(' ')}\n${server}\n}`,
  )
  const args = ['-c', join(folder, 'all.conf'), '-p', folder, '-e', join(folder, 'error.log')]
  execFileSync(NGINX, [...args, '-t'], { stdio: 'pipe' })
  const process = spawn(NGINX, args, { stdio: 'ignore' })
  onTestFinished(async () => {
    process.kill('SIGTERM')
    await once(process, 'exit')
  })
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}`), { timeout: 10_000 })
  return { baseUrl, port }
}

/** A call as a browser makes it that knows the proxy as https://age.example. */
async function call(port: number, path: string, form?: string, headers: IncomingHttpHeaders = {}) {
  const tls = { rejectUnauthorized: false, maxHeaderSize: 256 * 1024, servername: 'age.example' }
  const sent = request({
    ...{ ...tls, host: '127.0.0.1', port, path, method: form === undefined ? 'GET' : 'POST' },
    headers: {
      ...headers,
      Host: `age.example:${port}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
  })
  const [response] = await once(sent.end(form), 'response')
  return {
    status: response.statusCode,
    location: response.headers.location ?? '',
    text: await text(response),
  }
}

describeWith('nginx', 'Behind the nginx of addresses.md', () => {
  test('The sandbox works behind nginx over https by the name of the proxy alone', async () => {
    const { baseUrl, port } = await start(blockWith(blocks, '# nginx.conf'), {
      listen: '443',
      address: (port) => `https://age.example:${port}`,
    })
    expect(
      JSON.parse((await call(port, '/v1/oidc/use/.well-known/openid-configuration')).text),
    ).toMatchObject({
      issuer: `${baseUrl}/v1/oidc/use`,
      jwks_uri: expect.stringContaining(baseUrl),
    })
    const { action, fields } = press(
      (await call(port, `/v1/oidc/use?${ASKED}`)).text,
      'persona-adult-passport',
    )
    const chosen = await call(port, new URL(action, baseUrl).pathname, `${fields}`, {
      origin: baseUrl,
    })
    expect(chosen).toMatchObject({ status: 303, location: expect.stringContaining('id_token=') })

    expect(await call(port, '/_sandbox/clock')).toMatchObject({ status: 401 })
    const authorization = 'Bearer not-a-real-token'
    expect(await call(port, '/_sandbox/clock', undefined, { authorization })).toMatchObject({
      status: 200,
    })

    const huge = await call(
      port,
      `/v1/oidc/use?${ASKED}&sandbox_persona=adult-passport&sandbox_outcome=id_token.huge`,
    )
    expect(huge.location.length).toBeGreaterThan(60_000)
  })

  test.each([
    ['kept', (block: string) => block],
    ['cut off', (block: string) => block.replace(/(proxy_pass \S+);/, '$1/;')],
  ])('The path of a sandbox behind nginx may be %s', async (_how, change) => {
    const block = change(blockWith(blocks, '# path.conf'))
    const { baseUrl } = await start(block, {
      listen: '80',
      address: (port) => `http://localhost:${port}/agekey`,
    })
    const discovery = await fetch(`${baseUrl}/v1/oidc/use/.well-known/openid-configuration`)
    expect(await discovery.json()).toMatchObject({ issuer: `${baseUrl}/v1/oidc/use` })
  })
})
