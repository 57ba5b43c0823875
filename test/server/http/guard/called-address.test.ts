import { expect, test } from 'vitest'
import type { Addresses } from '../../../../src/sandbox/addresses/addresses.ts'
import {
  addressForCaller,
  forwardedOrigin,
} from '../../../../src/server/http/guard/called-address.ts'

const BASE = 'http://localhost:2435'
const INTERNAL = 'http://agekey-sandbox:2435'

const addressFor = (
  addresses: { baseUrl?: string; internalUrl?: string; trustHost?: boolean },
  address: string,
) => {
  const [protocol = '', host = ''] = address.split('://')
  const all: Addresses = {
    baseUrl: BASE,
    internalUrl: undefined,
    trustHost: false,
    followed: 'none',
    ...addresses,
  }
  const basePath = new URL(all.baseUrl).pathname.replace(/\/$/, '')
  return addressForCaller(
    { protocol: protocol === 'https' ? 'https' : 'http', host },
    { addresses: all, basePath },
  )
}

test('A caller of the internal URL is given the internal URL', () => {
  expect(addressFor({ internalUrl: INTERNAL }, INTERNAL)).toBe(INTERNAL)
  for (const host of [
    'localhost:2435',
    '127.0.0.1:2435',
    'agekey-sandbox',
    'agekey-sandbox:80',
    'evil.example:2435',
  ])
    expect(addressFor({ internalUrl: INTERNAL }, `http://${host}`), host).toBe(BASE)
})

test.each(['http', 'https'])(
  'Of two addresses of one host, %s gives the one of its protocol',
  (protocol) => {
    const addresses = {
      baseUrl: 'https://age.example:9443',
      internalUrl: 'http://age.example:9443',
    }
    expect(addressFor(addresses, `${protocol}://age.example:9443`)).toBe(
      `${protocol}://age.example:9443`,
    )
  },
)

test('With trust_host another host name is given itself below the base path', () => {
  const baseUrl = `${BASE}/age`
  expect(addressFor({ baseUrl, trustHost: true }, 'http://my_sandbox:8080')).toBe(
    'http://my_sandbox:8080/age',
  )
  expect(addressFor({ baseUrl }, 'http://my_sandbox:8080')).toBe(baseUrl)
})

test('With trust_host no host name that is invalid is given', () => {
  for (const host of ['a/b', 'user@evil.example', 'evil.example?', 'evil.example:99999'])
    expect(addressFor({ trustHost: true }, `http://${host}`), host).toBe(BASE)
})

test.each<[headers: Record<string, string>, origin: string | undefined]>([
  [{ 'x-forwarded-host': 'age.example' }, 'http://age.example'],
  [{ 'x-forwarded-host': 'age.example', 'x-forwarded-proto': 'https' }, 'https://age.example'],
  [
    { 'x-forwarded-host': 'a.example, b.example', 'x-forwarded-proto': 'https, http' },
    'https://a.example',
  ],
  [{ 'x-forwarded-host': 'age.example', 'x-forwarded-port': '8443' }, 'http://age.example:8443'],
  [{ 'x-forwarded-host': 'age.example:81', 'x-forwarded-port': '8443' }, 'http://age.example:81'],
  [
    { forwarded: 'for=192.0.2.1;host="age.example:8443";proto=https, for=::1' },
    'https://age.example:8443',
  ],
  [{ 'x-forwarded-host': 'user@evil.example' }, undefined],
  [{ 'x-forwarded-proto': 'https' }, undefined],
  [{}, undefined],
])('The forwarding headers %j name the origin %s', (headers, origin) => {
  expect(forwardedOrigin({ header: (name) => headers[name] })).toBe(origin)
})
