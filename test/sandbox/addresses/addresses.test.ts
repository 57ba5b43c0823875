import { expect, test } from 'vitest'
import {
  baseUrlProblem,
  internalUrlProblem,
  isLoopbackHost,
  redirectUriWarnings,
  settleAddresses,
} from '../../../src/sandbox/addresses/addresses.ts'

const IN_CLEAR = 'sends tokens over the network in the clear'
const LITERAL =
  'has a *, which is compared as a character and is no wildcard; register each address by itself'
const NO_HOST =
  'no wildcard; no host has such a name, so no browser reaches it; register each address by itself'

test.each<[uri: string, warnings: readonly string[]]>([
  ['https://shop.example/callback', []],
  ['https://shop.example/callback?from=agekey', []],
  ['http://localhost:3000/callback', []],
  ['http://127.0.0.1/callback', []],
  ['http://[::1]:3000/callback', []],
  ['http://shop.localhost/callback', []],
  ['http://127.9.0.1:3000/callback', []],
  ['http://localhost.:3000/callback', []],
  ['http://[::ffff:127.0.0.1]:3000/callback', []],
  ['http://shop.example/callback', [IN_CLEAR]],
  ['http://localhost.shop.example/', [IN_CLEAR]],
  ['http://app:3000/callback', [IN_CLEAR]],
  ['https://*.shop.example/cb', [NO_HOST]],
  ['https://shop.example/*', [LITERAL]],
  ['https://shop.example/cb?shop=*', [LITERAL]],
  ['http://*.shop.example/*', [IN_CLEAR, NO_HOST]],
])('The redirect URI %s may be registered, with the warnings %j', (uri, warnings) => {
  const received = redirectUriWarnings([{ clientId: 'shop', redirectUris: [uri] }])
  expect(received).toEqual(warnings.map((warning) => expect.stringContaining(warning)))
  for (const warning of received) expect(warning).toContain(`client shop: ${uri} `)
})

test.each([
  'http://localhost:2435',
  'https://age.example/agekey',
  'http://agekey_sandbox:2435',
  'http://[::1]:2435',
  'https://xn--bcher-kva.example',
  'https://age.example/v1',
])('The base URL %s may be set', (url) => {
  expect(baseUrlProblem(url)).toBeUndefined()
})

const FREE_PORT = 'has port 0, which stands for a free port'
const LISTENING = 'on which a server listens and which no browser opens'
const NO_NAME = 'no host has such a name'
const USE_PATH = 'is an address below a base URL: leave out /v1/oidc/use'

test.each([
  ['http://localhost:0', FREE_PORT],
  ['https://age.example:0/agekey', FREE_PORT],
  ['http://0.0.0.0:2435', LISTENING],
  ['http://0:2435', LISTENING],
  ['http://[::]:2435', LISTENING],
  ['http://[::ffff:0.0.0.0]', LISTENING],
  ['http://*:2435', NO_NAME],
  ['http://+:2435', NO_NAME],
  ['https://*.age.example', NO_NAME],
  ['http://localhost:2435/v1/oidc/use', USE_PATH],
  ['http://localhost:2435/age/v1/oidc/use/', `${USE_PATH}/,`],
  ['http://localhost:2435/v1/oidc/use/.well-known/openid-configuration', USE_PATH],
  ['http://localhost:2435/v1/oidc/create', 'leave out /v1/oidc/create,'],
  ['http://localhost:2435/v1/agekey/upgrade', 'leave out /v1/agekey/upgrade,'],
  ['http://localhost:2435/.well-known/jwks.json', 'leave out /.well-known/jwks.json,'],
  ['http://localhost:2435/_sandbox/console/flows', 'leave out /_sandbox/console/flows,'],
])('The base URL %s is refused, because it "%s"', (url, reason) => {
  expect(baseUrlProblem(url)).toContain(`"${url}" `)
  expect(baseUrlProblem(url)).toContain(reason)
})

test.each([
  ['127.0.0.1', 'http://localhost:2435'],
  ['::1', 'http://localhost:2435'],
  ['0.0.0.0', 'http://localhost:2435'],
  ['::', 'http://localhost:2435'],
  ['192.168.1.20', 'http://192.168.1.20:2435'],
  ['fd00::1', 'http://[fd00::1]:2435'],
  ['fe80::1%eth0', 'http://localhost:2435'],
  ['no host!', 'http://localhost:2435'],
])('A sandbox that listens on %s has the default base URL %s', (host, baseUrl) => {
  expect(settleAddresses({}, { protocol: 'http', port: 2435, host }).baseUrl).toBe(baseUrl)
})

test('An internal URL that no server can open is refused under its own name', () => {
  expect(internalUrlProblem('http://0.0.0.0:2435')).toContain(
    'an internal URL looks like http://agekey-sandbox:2435',
  )
})

test.each([
  'localhost',
  'LOCALHOST',
  'localhost.',
  'shop.localhost',
  'a.b.localhost.',
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f01:203]',
])('The host %s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  '',
  'localhost.example',
  'mylocalhost',
  '128.0.0.1',
  '0.0.0.0',
  '::',
  '[::2]',
  '::ffff:10.0.0.1',
  '127.0.0.1.example',
])('The host "%s" is not known to be this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})
