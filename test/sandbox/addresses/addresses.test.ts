import { expect, test } from 'vitest'
import { redirectUriWarnings } from '../../../src/sandbox/addresses/addresses.ts'

const IN_CLEAR = 'sends tokens over the network in the clear'
const LITERAL = 'has a *, which is compared as a character and is no wildcard; register each address by itself'
const NO_HOST = 'no wildcard; no host has such a name, so no browser reaches it; register each address by itself'

test.each<[uri: string, warnings: readonly string[]]>([
  ['https://shop.example/callback', []],
  ['https://shop.example/callback?from=agekey', []],
  ['http://localhost:3000/callback', []],
  ['http://127.0.0.1/callback', []],
  ['http://[::1]:3000/callback', []],
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
