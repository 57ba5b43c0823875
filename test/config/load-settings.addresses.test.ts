import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { Texts } from '../../src/config/text-settings.ts'

let cwd: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-config-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const load = async (flags: Texts = {}, env: Record<string, string> = {}) =>
  (await loadSettings({ flags, env, cwd })).sandbox
const loadFile = (text: string) => {
  writeFileSync(join(cwd, 'agekey-sandbox.yaml'), text)
  return load()
}

describe('Flags of addresses:', () => {
  test.each<[Texts, object]>([
    [{ 'internal-url': 'http://agekey-sandbox:2435/' }, { internalUrl: 'http://agekey-sandbox:2435' }],
    [{ 'base-path': '/agekey' }, { basePath: '/agekey' }],
    [{ 'trust-host': 'true' }, { trustHost: true }],
    [{ https: 'true' }, { https: true }],
    [{ https: 'false' }, { https: false }],
    [{ 'trust-proxy': ['10.0.0.1', 'fd00::/8'] }, { trustProxy: ['10.0.0.1', 'fd00::/8'] }],
    [{ 'trust-proxy': ['loopback,10.0.0.0/8', '::1'] }, { trustProxy: ['loopback', '10.0.0.0/8', '::1'] }],
  ])('%j gives %j', async (flags, expected) => {
    expect(await load(flags)).toMatchObject(expected)
  })

  test.each<[Texts, string]>([
    [{ https: 'yes' }, '--https: "yes" is not true or false'],
    [{ 'trust-host': '1' }, '--trust-host: "1" is not true or false'],
    [{ 'base-path': 'agekey' }, '--base-path: "agekey" does not begin with a slash; a base path looks like /agekey'],
    [{ 'internal-url': 'agekey-sandbox:2435' }, 'an internal URL looks like http://agekey-sandbox:2435'],
    [{ 'trust-proxy': ['10.0.0.0/8', '10.0.0.0/33'] }, '--trust-proxy[1]: "10.0.0.0/33" is no address of a proxy'],
    [{ 'trust-proxy': ['10.0.0.0/8,'] }, '--trust-proxy[1]: "" is no address of a proxy'],
    [{ 'trust-proxy': ['fd00::/129'] }, '"fd00::/129" is no address of a proxy'],
    [{ 'trust-proxy': ['10.0.0.0/0'] }, '"10.0.0.0/0" is no address of a proxy'],
    [{ 'trust-proxy': ['1'] }, '"1" is no address of a proxy'],
    [{ 'trust-proxy': ['10.0.0.0/'] }, '"10.0.0.0/" is no address of a proxy'],
    [{ 'trust-proxy': ['proxy.example'] }, 'Give an address, a range like 10.0.0.0/8, or loopback'],
  ])('%j is refused with a line that says why', async (flags, message) => {
    await expect(load(flags)).rejects.toThrow(message)
  })

  test('certificate files are relative to the working folder', async () => {
    expect(await load({ 'https-cert': 'c.pem', 'https-key': 'k.pem' })).toMatchObject({
      httpsCert: join(cwd, 'c.pem'),
      httpsKey: join(cwd, 'k.pem'),
    })
  })
})

test('the environment gives all of them, several proxies separated by commas', async () => {
  const settings = await load(
    {},
    {
      AGEKEY_SANDBOX_INTERNAL_URL: 'http://agekey-sandbox:2435',
      AGEKEY_SANDBOX_BASE_PATH: '/agekey',
      AGEKEY_SANDBOX_TRUST_HOST: 'true',
      AGEKEY_SANDBOX_TRUST_PROXY: '10.0.0.1, 10.1.0.0/16',
      AGEKEY_SANDBOX_HTTPS: 'true',
    },
  )
  expect(settings).toMatchObject({
    internalUrl: 'http://agekey-sandbox:2435',
    basePath: '/agekey',
    trustHost: true,
    trustProxy: ['10.0.0.1', '10.1.0.0/16'],
    https: true,
  })
})

describe('the config file', () => {
  test('gives all of them, its files relative to its folder, one proxy without brackets', async () => {
    expect(
      await loadFile('trust_host: true\ntrust_proxy: 10.0.0.0/8\nhttps_cert: c.pem\nhttps_key: k.pem'),
    ).toMatchObject({
      trustHost: true,
      trustProxy: ['10.0.0.0/8'],
      httpsCert: join(cwd, 'c.pem'),
      httpsKey: join(cwd, 'k.pem'),
    })
  })

  test.each([
    ['trust_proxy: true', /agekey-sandbox.yaml:1.*trust_proxy/],
    ['trust_proxy: [10.0.0.0/8, nowhere]', /agekey-sandbox.yaml:1.*"nowhere" is no address of a proxy/],
    ['https: on', /agekey-sandbox.yaml:1.*"on" is not true or false/],
    ['internal_ur: http://a', /Did you mean "internal_url"\?/],
  ])('%j is refused with file and line', async (text, message) => {
    await expect(loadFile(text)).rejects.toThrow(message)
  })
})
