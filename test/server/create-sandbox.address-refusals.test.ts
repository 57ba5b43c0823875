import { describe, expect, test } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'

const refusals: [SandboxOptions, RegExp][] = [
  [{ baseUrl: 'localhost:2435' }, /: "localhost:2435" is not an http or https URL/],
  [{ baseUrl: 'http://localhost:2435/?a' }, /: a base URL has neither query nor fragment/],
  [{ baseUrl: 'http://localhost:2435/#a' }, /: a base URL has neither query nor fragment/],
  [{ baseUrl: 'http://localhost:2435/t/x' }, /: "\/t\/x" has the part "t", below which the tenants are/],
  [{ basePath: 'agekey' }, /: "agekey" does not begin with a slash; a base path looks like \/agekey$/],
  [{ basePath: '/a b' }, /: "\/a b" is not a path of letters/],
  [{ basePath: '/a/../b' }, /: "\/a\/..\/b" is not a path of letters/],
  [{ basePath: '/a?b' }, /: "\/a\?b" is not a path/],
  [{ basePath: '//a' }, /: "\/\/a" is not a path/],
  [{ basePath: '/t' }, /: "\/t" has the part "t"/],
  [
    { baseUrl: 'https://age.example/one', basePath: '/two' },
    /^basePath: \/two is not the path of the base URL https:\/\/age.example\/one; give one of the two$/,
  ],
  [{ internalUrl: 'agekey-sandbox:2435' }, /: "agekey-sandbox:2435" is not an http or https URL/],
  [{ internalUrl: 'http://agekey-sandbox:2435?a' }, /: an internal URL has neither query nor fragment/],
  [{ internalUrl: 'http://me:secret@host' }, /: the URL names a user or a password/],
  [
    { baseUrl: 'http://localhost:2435', internalUrl: 'http://LOCALHOST:2435/' },
    /^internalUrl: http:\/\/localhost:2435 is the base URL; give the other address/,
  ],
  [{ trustProxy: ['10.0.0.0/33'] }, /: "10.0.0.0\/33" is no address of a proxy/],
  [{ trustProxy: ['loopbak'] }, /: "loopbak" is no address of a proxy. Did you mean "loopback"\?/],
  [{ trustProxy: ['true'] }, /: "true" is no address of a proxy/],
  [{ httpsCert: 'a.pem' }, /^httpsCert: needs the option httpsKey too/],
  [{ httpsKey: 'a.pem' }, /^httpsKey: needs the option httpsCert too/],
  [{ https: false, httpsCert: 'a.pem', httpsKey: 'b.pem' }, /^httpsCert: https is set to false/],
]

describe('addresses that cannot be', () => {
  test.each(refusals)('%j is refused in one line', async (options, message) => {
    const failure = await createSandbox(options).then(
      (sandbox) => sandbox.close(),
      (error: unknown) => (error instanceof Error ? error.message : error),
    )
    expect(failure).toMatch(message)
    expect(failure).not.toContain('\n')
  })
})

test.each<[SandboxOptions, string]>([
  [{ baseUrl: 'https://age.example', basePath: '/agekey' }, 'https://age.example/agekey'],
  [{ baseUrl: 'https://age.example/agekey/', basePath: '/agekey' }, 'https://age.example/agekey'],
  [{ baseUrl: 'https://age.example/', basePath: '/' }, 'https://age.example'],
])('%j is the base URL %s', async (options, baseUrl) => {
  await using sandbox = await createSandbox(options)
  expect(sandbox.baseUrl).toBe(baseUrl)
})
