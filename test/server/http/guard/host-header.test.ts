import { expect, test } from 'vitest'
import { exchangeRaw } from '../../../support/raw-exchange.ts'
import { shareSandbox } from '../../../support/sandbox.ts'

const sandbox = await shareSandbox()

const call = (hosts: readonly string[], { version = '1.1', path = '/_sandbox/health' } = {}) =>
  exchangeRaw(
    sandbox.url,
    `GET ${path} HTTP/${version}\r\n${hosts.map((host) => `${host}\r\n`).join('')}Connection: close\r\n\r\n`,
  )

test.each([
  [
    'two equal ones',
    ['Host: localhost', 'Host: localhost'],
    'it came 2 times (\\"localhost\\", \\"localhost\\")',
  ],
  [
    'two different ones',
    ['Host: localhost', 'hOST: evil.example'],
    'it came 2 times (\\"localhost\\", \\"evil.example\\")',
  ],
  ['three of which one is empty', ['Host: a', 'Host:', 'Host: b'], 'it came 3 times'],
  ['none', [], 'it is absent'],
  ['an empty one', ['Host:'], 'it is empty'],
  ['a list', ['Host: a, b'], '\\"a, b\\" is no host name'],
  ['a list without a blank', ['Host: a,b'], '\\"a,b\\" is no host name'],
  ['a path', ['Host: localhost/x'], 'is no host name'],
  ['a user', ['Host: user@localhost'], 'is no host name'],
  ['a URL', ['Host: http://localhost'], 'is no host name'],
  ['an open bracket', ['Host: [::1'], 'is no host name'],
  ['a port that is none', ['Host: localhost:99999'], 'is no host name'],
  ['a port in letters', ['Host: localhost:http'], 'is no host name'],
  ['a name beyond ASCII', ['Host: b\xfccher.example'], 'is no host name'],
])('A request with %s as Host is refused, saying what came', async (_what, hosts, received) => {
  const answer = await call(hosts)
  expect(answer.status).toBe(400)
  expect(answer.body).toContain(received)
  expect(answer.body).toContain(`for example \\"Host: ${new URL(sandbox.baseUrl).host}\\"`)
  expect(answer.headers['x-agekey-sandbox']).toBe('testing-only')
})

test.each([
  '/v1/oidc/use',
  '/',
  '/t/new/.well-known/jwks.json',
  '/_sandbox/assets/app.css',
  '/nothing',
])('A request for %s with two Host headers is refused', async (path) => {
  expect((await call(['Host: localhost', 'Host: localhost'], { path })).status).toBe(400)
})

test.each([
  ...[
    'localhost',
    'LOCALHOST:2435',
    'localhost:',
    '127.0.0.1:80',
    '[::1]',
    '[::ffff:127.0.0.1]:65535',
  ],
  ...[
    'age.localhost',
    'localhost.',
    'my_sandbox:8080',
    'host.docker.internal',
    'xn--bcher-kva.example',
  ],
])('A request with the Host %s is served', async (host) => {
  expect((await call([`Host: ${host}`])).status).toBe(200)
})

test('An HTTP/1.0 request without Host is served', async () => {
  expect((await call([], { version: '1.0' })).status).toBe(200)
})

test('An HTTP/1.0 request with two Host headers is refused', async () => {
  expect((await call(['Host: a', 'Host: b'], { version: '1.0' })).status).toBe(400)
})
