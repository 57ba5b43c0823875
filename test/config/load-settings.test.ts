import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSettings, type Settings } from '../../src/config/load-settings.ts'
import type { Texts } from '../../src/config/text-settings.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'agekey-config-'))
})
afterEach(() => {
  rmSync(cwd, { recursive: true })
})

const load = (flags: Texts = {}, env: Record<string, string> = {}) => loadSettings({ flags, env, cwd })
const loadFile = (text: string) => {
  writeFileSync(join(cwd, 'agekey-sandbox.yaml'), text)
  return load()
}

describe('The order of the sources of settings:', () => {
  test('without any source the defaults apply and no option is set', async () => {
    expect(await load()).toEqual({
      log: 'pretty',
      sandbox: { port: 2435, host: '127.0.0.1' },
      warnings: [],
      blame: expect.any(Function),
    })
  })

  test('a flag goes before the environment, which goes before the file', async () => {
    await loadFile('port: 1\nhost: file\nseed: 3')
    const { sandbox } = await load({ port: '3' }, { AGEKEY_SANDBOX_PORT: '2', AGEKEY_SANDBOX_HOST: 'environment' })
    expect(sandbox).toEqual({ port: 3, host: 'environment', seed: 3 })
  })

  test('a list replaces the list of the next source', async () => {
    await loadFile('personas: [a, b]')
    expect((await load({ personas: ['c'] })).sandbox.personas).toEqual([join(cwd, 'c')])
  })

  test('--config goes before AGEKEY_SANDBOX_CONFIG, and either before the default file', async () => {
    await loadFile('seed: 1')
    writeFileSync(join(cwd, 'two.yaml'), 'seed: 2')
    writeFileSync(join(cwd, 'three.yaml'), 'seed: 3')
    const env = { AGEKEY_SANDBOX_CONFIG: 'two.yaml' }
    expect((await load({}, env)).sandbox.seed).toBe(2)
    expect((await load({ config: 'three.yaml' }, env)).sandbox.seed).toBe(3)
  })
})

describe('Flags of the command line:', () => {
  test.each<[Texts, object]>([
    [{ port: '0' }, { port: 0 }],
    [{ port: '65535' }, { port: 65_535 }],
    [{ seed: '-5' }, { seed: -5 }],
    [{ 'base-url': 'http://localhost:2435/age/' }, { baseUrl: 'http://localhost:2435/age' }],
    [{ 'base-url': 'HTTPS://Age.Example' }, { baseUrl: 'https://age.example' }],
    [{ profile: 'agekey' }, { profile: 'agekey' }],
    [{ 'signing-alg': 'ES256' }, { signingAlg: 'ES256' }],
    [
      { persona: 'teen-16', outcome: 'verified' },
      { persona: 'teen-16', outcome: 'verified' },
    ],
    [{ 'control-token': 'not-a-real-token' }, { controlToken: 'not-a-real-token' }],
    [{ store: 'redis://user:pass@redis:6379' }, { store: 'redis://user:pass@redis:6379' }],
  ])('%j gives %j', async (flags, expected) => {
    expect((await load(flags)).sandbox).toMatchObject(expected)
  })

  test.each<[Texts, string]>([
    [{ port: 'http' }, '--port: "http" is not a port (0 to 65535)'],
    [{ port: '65536' }, '--port: 65536 is not a port (0 to 65535)'],
    [{ port: '-1' }, '--port: -1 is not a port (0 to 65535)'],
    [{ port: '80.5' }, '--port: "80.5" is not a port (0 to 65535)'],
    [{ port: '' }, '--port: "" is not a port (0 to 65535)'],
    [{ port: '1e3' }, '--port: "1e3" is not a port (0 to 65535)'],
    [{ seed: 'x' }, '--seed: "x" is not a whole number'],
    [{ seed: '99999999999999999999' }, '--seed: 100000000000000000000 is not a whole number'],
    [{ 'memory-budget': '0' }, '--memory-budget: 0 is not a whole number of megabytes from 1 up'],
    [{ 'memory-budget': '1.5' }, '--memory-budget: "1.5" is not a whole number of megabytes from 1 up'],
    [{ profile: 'agekye' }, '--profile: unknown profile "agekye". Did you mean "agekey"?'],
    [{ 'signing-alg': 'HS256' }, '--signing-alg: unknown signing_alg "HS256". Did you mean "RS256" or "ES256"?'],
    [{ log: 'loud' }, '--log: unknown log "loud"; expected one of pretty, json, silent'],
    [
      { 'base-url': 'localhost:2435' },
      '--base-url: "localhost:2435" is not an http or https URL; a base URL looks like',
    ],
    [{ 'base-url': 'ftp://localhost' }, '--base-url: "ftp://localhost" is not an http or https URL'],
    [{ 'base-url': 'http://x/?a' }, '--base-url: a base URL has neither query nor fragment'],
    [{ 'base-url': 'http://x/#' }, '--base-url: a base URL has neither query nor fragment'],
    [{ 'base-url': 'http://u:p@x' }, '--base-url: the URL names a user or a password'],
    [{ persona: '' }, '--persona: expected at least 1 character, found an empty text'],
    [{ store: 'redis' }, '--store: it is not a URL; a store looks like redis://localhost:6379'],
    [{ store: 'http://u:secret@redis' }, '--store: http:// is not a store; a store looks like redis://'],
    [{ store: 'redis://' }, '--store: the host is missing'],
    [{ store: 'redis://redis/x' }, '--store: "/x" is not the number of a database'],
    [{ store: 'redis://redis?db=1' }, '--store: it has a query or a fragment'],
    [{ config: 'absent.yaml' }, '--config: absent.yaml: cannot read this config file (there is no such file)'],
    [{ config: '.' }, 'cannot read this config file (it is a folder)'],
  ])('%j is refused with a line that says why', async (flags, message) => {
    await expect(load(flags)).rejects.toThrow(message)
  })

  test('relative paths are relative to the working folder', async () => {
    const { sandbox } = await load({ personas: ['mine', 'sub/x.yaml'], keys: 'keys.json', 'state-dir': 'state' })
    expect(sandbox).toMatchObject({
      personas: [join(cwd, 'mine'), join(cwd, 'sub', 'x.yaml')],
      keys: join(cwd, 'keys.json'),
      stateDir: join(cwd, 'state'),
    })
  })
})

describe('Environment variables of settings:', () => {
  test.each([
    ['PORT', '1', { port: 1 }],
    ['HOST', '::1', { host: '::1' }],
    ['BASE_URL', 'http://sandbox:2435', { baseUrl: 'http://sandbox:2435' }],
    ['PERSONA', 'teen-16', { persona: 'teen-16' }],
    ['OUTCOME', 'verified', { outcome: 'verified' }],
    ['PROFILE', 'spec', { profile: 'spec' }],
    ['SIGNING_ALG', 'ES256', { signingAlg: 'ES256' }],
    ['SEED', '7', { seed: 7 }],
    ['CONTROL_TOKEN', 't', { controlToken: 't' }],
    ['STORE', 'rediss://redis:6380/1', { store: 'rediss://redis:6380/1' }],
    ['MEMORY_BUDGET', '64', { memoryBudget: 64 }],
    ['PORT', '', { port: 2435 }],
  ])('AGEKEY_SANDBOX_%s=%s gives %j', async (name, text, expected) => {
    expect((await load({}, { [`AGEKEY_SANDBOX_${name}`]: text })).sandbox).toMatchObject(expected)
  })

  test('AGEKEY_SANDBOX_LOG gives the log mode', async () => {
    expect((await load({}, { AGEKEY_SANDBOX_LOG: 'json' })).log).toBe('json')
  })

  test('AGEKEY_SANDBOX_PERSONAS, _KEYS and _STATE_DIR are paths from the working folder, several personas separated like PATH', async () => {
    const { sandbox } = await load(
      {},
      {
        AGEKEY_SANDBOX_PERSONAS: ['one', 'two.yaml'].join(delimiter),
        AGEKEY_SANDBOX_KEYS: 'k',
        AGEKEY_SANDBOX_STATE_DIR: 's',
      },
    )
    expect(sandbox).toMatchObject({
      personas: [join(cwd, 'one'), join(cwd, 'two.yaml')],
      keys: join(cwd, 'k'),
      stateDir: join(cwd, 's'),
    })
  })

  test.each([
    [
      'AGEKEY_SANDBOX_PROT',
      '1',
      'AGEKEY_SANDBOX_PROT: unknown environment variable. Did you mean "AGEKEY_SANDBOX_PORT"?',
    ],
    ['AGEKEY_SANDBOX_PORT', 'x', 'AGEKEY_SANDBOX_PORT: "x" is not a port (0 to 65535)'],
    ['AGEKEY_SANDBOX_BASE_URL', 'x', 'AGEKEY_SANDBOX_BASE_URL: "x" is not an http or https URL'],
    ['AGEKEY_SANDBOX_CONFIG', 'absent.yaml', 'AGEKEY_SANDBOX_CONFIG: absent.yaml: cannot read this config file'],
  ])('%s=%s is refused with a line that says why', async (name, text, message) => {
    await expect(load({}, { [name]: text })).rejects.toThrow(message)
  })

  test('addresses that Kubernetes sets for a service named agekey-sandbox are no settings', async () => {
    const env = {
      AGEKEY_SANDBOX_PORT: 'tcp://10.0.0.7:2435',
      AGEKEY_SANDBOX_SERVICE_HOST: '10.0.0.7',
      AGEKEY_SANDBOX_SERVICE_PORT: '2435',
      AGEKEY_SANDBOX_PORT_2435_TCP_ADDR: '10.0.0.7',
    }
    expect((await load({}, env)).sandbox).toEqual({ port: 2435, host: '127.0.0.1' })
  })
})

describe('The config file of settings:', () => {
  test('every setting becomes the option of its name, paths are relative to the file', async () => {
    const folder = join(cwd, 'settings')
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'all.yaml'),
      `
profile: agekey
port: 8080
host: 0.0.0.0
base_url: http://localhost:8080/
signing_alg: ES256
clients:
  - client_id: web-shop
    client_secret: not-a-real-secret
    name: Web shop
    logo: ./logo.svg
    redirect_uris: [http://localhost:3000/callback]
    persona: adult-passport
builtin_client: false
provenance_allowlist: [/veratad/roc, /yoti]
platforms: [apple_wallet]
certifications: { /veratad/roc: { id_doc_scan: effective } }
lifetimes: { request_uri: 1, code: 2, id_token: 3, access_token: 4 }
personas: ./personas
persona: teen-16
outcome: verified
seed: 9
log: silent
state_dir: state
keys: keys.json
store: redis://redis:6379
memory_budget: 64
control_token: not-a-real-token
`,
    )
    expect(await load({ config: 'settings/all.yaml' })).toEqual({
      log: 'silent',
      blame: expect.any(Function),
      configFile: join(cwd, 'settings/all.yaml'),
      warnings: [],
      sandbox: {
        profile: 'agekey',
        port: 8080,
        host: '0.0.0.0',
        baseUrl: 'http://localhost:8080',
        signingAlg: 'ES256',
        clients: [
          {
            clientId: 'web-shop',
            clientSecret: 'not-a-real-secret',
            name: 'Web shop',
            logo: join(folder, 'logo.svg'),
            redirectUris: ['http://localhost:3000/callback'],
            persona: 'adult-passport',
          },
        ],
        builtinClient: false,
        provenanceAllowlist: ['/veratad/roc', '/yoti'],
        platforms: ['apple_wallet'],
        certifications: { '/veratad/roc': { id_doc_scan: 'effective' } },
        lifetimes: { requestUri: 1, code: 2, idToken: 3, accessToken: 4 },
        personas: [join(folder, 'personas')],
        persona: 'teen-16',
        outcome: 'verified',
        seed: 9,
        stateDir: join(folder, 'state'),
        keys: join(folder, 'keys.json'),
        store: 'redis://redis:6379',
        memoryBudget: 64,
        controlToken: 'not-a-real-token',
      },
    })
  })

  test.each([
    ['', 'empty'],
    ['# port: 1\n\n  # seed: 1\n', 'all comments'],
  ])('a file %j (%s) leaves the defaults', async (text) => {
    expect((await loadFile(text)).sandbox).toEqual({ port: 2435, host: '127.0.0.1' })
  })

  const client = (members: string) =>
    `clients:\n  - { client_id: shop, client_secret: s, redirect_uris: [https://shop.example/cb] }\n  - { ${members} }`

  test.each([
    ['seed: 1\nprot: 1', 'agekey-sandbox.yaml:2: prot: unknown key. Did you mean "port"?'],
    ['port: http', 'agekey-sandbox.yaml:1: port: "http" is not a port (0 to 65535)'],
    ['port: .nan', 'agekey-sandbox.yaml:1: port: '],
    ['seed: 1.5', 'agekey-sandbox.yaml:1: seed: 1.5 is not a whole number'],
    ['profile: svc', 'agekey-sandbox.yaml:1: profile: unknown profile "svc"; expected one of spec, agekey'],
    ['signing_alg: HS256', 'agekey-sandbox.yaml:1: signing_alg: unknown signing_alg "HS256"'],
    ['base_url: http://a b', 'agekey-sandbox.yaml:1: base_url: "http://a b" is not an http or https URL'],
    ['builtin_client: sure', 'agekey-sandbox.yaml:1: builtin_client: expected true or false, found the text "sure"'],
    ['lifetimes:\n  code: 0', 'agekey-sandbox.yaml:2: lifetimes.code: 0 is not a whole number of seconds from 1 up'],
    ['lifetimes: { code: 1h }', 'lifetimes.code: "1h" is not a whole number of seconds from 1 up'],
    ['lifetimes: { cod: 1 }', 'lifetimes.cod: unknown key. Did you mean "code"?'],
    ['provenance_allowlist: [veratad]', 'provenance_allowlist[0]: "veratad" is not a path like /provider'],
    ['provenance_allowlist: [/veratad/*]', 'provenance_allowlist[0]: "/veratad/*" is not a path like /provider'],
    ['certifications: { /yoti: { id_doc_scam: strict } }', 'id_doc_scam: unknown key. Did you mean "id_doc_scan"?'],
    [
      'certifications: { /yoti: { id_doc_scan: strikt } }',
      '.id_doc_scan: unknown id_doc_scan "strikt". Did you mean "strict"?',
    ],
    ['certifications: { yoti: { id_doc_scan: strict } }', '"yoti" is not a path like /provider'],
    ['personas: 7', 'personas: expected a text or a list, found 7'],
    ['clients: {}', 'clients: expected a list, found a mapping'],
    ['clients: [{}]', 'clients[0].client_id: is missing; expected a text'],
    [
      client('client_id: shop, client_secret: s, redirect_uris: [https://a.example]'),
      ':3: clients[1].client_id: "shop" is declared twice',
    ],
    [
      client('client_id: ak_test_sandbox, client_secret: s, redirect_uris: [https://a.example]'),
      '"ak_test_sandbox" is the built-in client; choose another id or set builtin_client: false',
    ],
    [
      client('client_id: a, client_secret: "ü", redirect_uris: [https://a.example]'),
      'clients[1].client_secret: expected one or more printable ASCII',
    ],
    [
      client('client_id: "", client_secret: s, redirect_uris: [https://a.example]'),
      'clients[1].client_id: expected one or more printable ASCII',
    ],
    [
      client('client_id: a, client_secret: s, redirect_uris: [https://a.example], signing_alg: none'),
      'clients[1].signing_alg: unknown signing_alg "none"; expected one of RS256, ES256',
    ],
    [client('client_id: a, client_secret: s, redirect_uris: []'), 'clients[1].redirect_uris: expected at least 1 item'],
    [
      client('client_id: a, client_secret: s, redirect_uri: https://a.example, redirect_uris: [https://a.example]'),
      'clients[1].redirect_uri: unknown key. Did you mean "redirect_uris"?',
    ],
    ['port: 1\nport: 2', 'agekey-sandbox.yaml:2: '],
    [
      client('client_id: a, client_secret: s, redirect_uris: ""'),
      /clients\[1\]\.redirect_uris: expected a list, found an empty text$/,
    ],
    ['- port', 'agekey-sandbox.yaml:1: '],
  ])('%j is refused with file, line and a suggestion', async (text, message) => {
    await expect(loadFile(text)).rejects.toThrow(message)
  })

  test('two wrong values are reported on two lines', async () => {
    await expect(loadFile('port: x\nseed: y')).rejects.toThrow(
      /^agekey-sandbox\.yaml:1: .+\nagekey-sandbox\.yaml:2: .+$/,
    )
  })

  test('the id of the built-in client is free when builtin_client is false', async () => {
    const text = 'clients: [{ client_id: ak_test_sandbox, client_secret: s, redirect_uris: [https://a.example/cb] }]'
    expect((await loadFile(`${text}\nbuiltin_client: false`)).sandbox.clients?.[0]?.clientId).toBe('ak_test_sandbox')
  })
})

describe('Redirect URIs in the config file:', () => {
  const withUri = (uri: string) =>
    loadFile(`clients: [{ client_id: shop, client_secret: s, redirect_uris: [${JSON.stringify(uri)}] }]`)

  test.each([
    'https://shop.example/callback',
    'https://shop.example/callback?from=agekey',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback',
  ])('%s is taken as it is, without a warning', async (uri) => {
    const { sandbox, warnings } = await withUri(uri)
    expect(sandbox.clients?.[0]?.redirectUris).toEqual([uri])
    expect(warnings).toEqual([])
  })

  test.each(['http://shop.example/callback', 'http://localhost.shop.example/', 'http://app:3000/callback'])(
    '%s is taken with a warning',
    async (uri) => {
      const { sandbox, warnings } = await withUri(uri)
      expect(sandbox.clients?.[0]?.redirectUris).toEqual([uri])
      expect(warnings).toEqual([expect.stringContaining(`client shop: ${uri} sends tokens`)])
    },
  )

  test.each([
    ['https://shop.example/#top', 'has no fragment'],
    ['https://shop.example/#', 'has no fragment'],
    ['https://user@shop.example/', 'names a user or a password'],
    ['https://:secret@shop.example/', 'names a user or a password'],
    ['javascript:alert(1)', 'is not an http or https URL'],
    ['shop://callback', 'is not an http or https URL'],
    ['https:shop.example', 'is not an http or https URL'],
    ['/callback', 'is not an http or https URL'],
    [' https://shop.example/', 'is not an http or https URL'],
    ['https://shop.example/a\tb', 'is not an http or https URL'],
    ['http://localhost:*/callback', 'is not an http or https URL'],
    ['', 'is not an http or https URL'],
  ])('%j is refused: it %s', async (uri, reason) => {
    await expect(withUri(uri)).rejects.toThrow(`clients[0].redirect_uris[0]: `)
    await expect(withUri(uri)).rejects.toThrow(reason)
  })
})

describe('a name that only the sandbox knows to be wrong is blamed on', () => {
  const reason = 'there is no persona "teen-61"'
  const blamed = async (settings: Promise<Settings>, path: [string, ...(string | number)[]] = ['persona']) =>
    String(await (await settings).blame(path, reason))

  test('its flag', async () => {
    expect(await blamed(load({ persona: 'teen-61' }))).toBe(`ConfigError: --persona: ${reason}`)
    const ofTwoWords = load({ 'coverage-file': 'notes.txt' })
    expect(await blamed(ofTwoWords, ['coverage_file'])).toBe(`ConfigError: --coverage-file: ${reason}`)
  })

  test('its variable', async () => {
    const message = `ConfigError: AGEKEY_SANDBOX_PERSONA: ${reason}`
    expect(await blamed(load({}, { AGEKEY_SANDBOX_PERSONA: 'teen-61' }))).toBe(message)
  })

  test('its line of the config file', async () => {
    const text = 'seed: 1\npersona: teen-61\nclients:\n  - client_id: a\n    client_secret: b\n    persona: teen-61\n'
    const settings = loadFile(`${text}    redirect_uris: [https://a.example/]\n`)
    expect(await blamed(settings)).toBe(`ConfigError: agekey-sandbox.yaml:2: persona: ${reason}`)
    const message = `ConfigError: agekey-sandbox.yaml:6: clients[0].persona: ${reason}`
    expect(await blamed(settings, ['clients', 0, 'persona'])).toBe(message)
  })
})
