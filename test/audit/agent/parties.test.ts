import { expect, test } from 'vitest'
import { calledEndpoint, isPrivateAddress } from '../../../src/audit/agent/parties.ts'

const PRIVATE = `
  http://localhost:3000/verify https://shop.localhost/ http://LOCALHOST./ http://127.0.0.1/
  http://127.9.9.9/ http://2130706433/ http://[::1]:3000/ http://10.0.0.1/ http://172.16.0.1/
  http://172.31.255.255/ http://192.168.1.1/ http://169.254.1.1/ http://[fd00::1]/ http://[fe80::1]/
  http://[::ffff:10.0.0.1]/ http://app:3000/ http://printer.local/ http://shop.test/
  http://api.corp.internal/`

const PUBLIC = `
  https://shop.example/ http://172.32.0.1/ http://11.0.0.1/ http://203.0.113.1/ http://[2001:db8::1]/
  http://[::ffff:203.0.113.1]/ http://localhost.example/ http://127.0.0.1.example/
  http://mylocalhost.net/ http://test.example/`

const rows = (urls: string, isPrivate: boolean) =>
  urls
    .trim()
    .split(/\s+/)
    .map((url) => [url, isPrivate] as const)

test.each([...rows(PRIVATE, true), ...rows(PUBLIC, false)])(
  'That the address %s is private is %s',
  (url, expected) => {
    expect(isPrivateAddress(url)).toBe(expected)
  },
)

test.each([
  ['http://localhost:2435/v1/oidc/use?a=b', 'E1'],
  ['http://127.0.0.1:2435/v1/oidc/use', 'E1'],
  ['http://shop.localhost:2435/v1/oidc/create', 'E3'],
  ['http://[::1]:2435/v1/oidc/create', 'E3'],
  ['http://localhost:3000/v1/oidc/use', undefined],
  ['https://127.0.0.1:2435/v1/oidc/use', undefined],
  ['http://shop.example:2435/v1/oidc/use', undefined],
])(
  'For a sandbox at localhost:2435 an app that sends the browser to %s calls %s',
  (url, endpoint) => {
    expect(calledEndpoint(new URL(url), 'http://localhost:2435')).toBe(endpoint)
  },
)

test('The endpoints of a tenant are below its path under every name of this machine', () => {
  const url = new URL('http://127.0.0.1:2435/t/ci-1/v1/oidc/use')
  expect(calledEndpoint(url, 'http://localhost:2435/t/ci-1')).toBe('E1')
  expect(calledEndpoint(url, 'http://localhost:2435/t/ci-2')).toBeUndefined()
})
