import { rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Settings, stateHome } from '../../../src/server/config/load-settings.ts'
import { FLAGS, type Texts } from '../../../src/server/config/text-settings.ts'
import { loadFile, settingsIn } from './settings-in.ts'

const load = (flags?: Texts, env?: Record<string, string>) => settingsIn().load(flags, env)

/** A flag that may be given again is a list. */
const asGiven = (flag: string, text: string) =>
  ['reading', 'redirect-uri'].includes(flag) ? text.split(',') : text

const variableOf = (flag: string) => FLAGS.find(({ name }) => name === flag)?.variable ?? ''

test.each(['none', '', '# port: 1\n\n  # seed: 1\n', '---\n# seed: 1\n...\n'])(
  'The defaults apply with the config file %j',
  async (text) => {
    const { log, sandbox, warnings } = await (text === 'none' ? load() : loadFile(text))
    const defaults = { port: 2435, host: '127.0.0.1' }
    expect({ log, sandbox, warnings }).toEqual({ log: 'pretty', sandbox: defaults, warnings: [] })
  },
)

test.each([
  ['none', true],
  ['# seed: 1\n', true],
  ['{}', false],
  ['seed: 1\n', false],
])('Whether the config file %j says nothing: %s', async (text, isBlank) => {
  expect((await (text === 'none' ? load() : loadFile(text))).isBlank).toBe(isBlank)
})

test('A wrong value is named by its setting when its file is gone by then', async () => {
  const { cwd, load } = settingsIn({ 'agekey-sandbox.yaml': 'persona: nobody\n' })
  const { blame } = await load()
  rmSync(join(cwd, 'agekey-sandbox.yaml'))
  expect(await blame(['persona'], 'there is no persona "nobody"')).toMatchObject({
    message: 'persona: there is no persona "nobody"',
  })
})

test('A flag goes before the environment, which goes before the file', async () => {
  const { cwd, load } = settingsIn({
    'agekey-sandbox.yaml': 'port: 1\nhost: file\nseed: 3\npersonas: [a, b]',
  })
  const env = { AGEKEY_SANDBOX_PORT: '2', AGEKEY_SANDBOX_HOST: 'environment' }
  const { sandbox } = await load({ port: '3', personas: ['c'] }, env)
  expect(sandbox).toEqual({ port: 3, host: 'environment', seed: 3, personas: [join(cwd, 'c')] })
})

test('--config goes before AGEKEY_SANDBOX_CONFIG, which goes before the default file', async () => {
  const { load } = settingsIn({
    'agekey-sandbox.yaml': 'seed: 1',
    'two.yaml': 'seed: 2',
    'three.yaml': 'seed: 3',
  })
  const env = { AGEKEY_SANDBOX_CONFIG: 'two.yaml' }
  expect((await load({}, env)).sandbox.seed).toBe(2)
  expect((await load({ config: 'three.yaml' }, env)).sandbox.seed).toBe(3)
})

test.each<[flag: string, text: string, expected: object]>([
  ['port', '0', { port: 0 }],
  ['port', '65535', { port: 65_535 }],
  ['host', '::1', { host: '::1' }],
  ['seed', '-5', { seed: -5 }],
  ['base-url', 'http://localhost:2435/age/', { baseUrl: 'http://localhost:2435/age' }],
  ['base-url', 'HTTPS://Age.Example', { baseUrl: 'https://age.example' }],
  ['internal-url', 'http://agekey-sandbox:2435/', { internalUrl: 'http://agekey-sandbox:2435' }],
  ['base-path', '/agekey', { basePath: '/agekey' }],
  ['trust-host', 'true', { trustHost: true }],
  ['https', 'true', { https: true }],
  ['https', 'false', { https: false }],
  ['profile', 'agekey', { profile: 'agekey' }],
  ['signing-alg', 'ES256', { signingAlg: 'ES256' }],
  ['persona', 'teen-16', { persona: 'teen-16' }],
  ['outcome', 'verified', { outcome: 'verified' }],
  ['control-token', 'not-a-real-token', { controlToken: 'not-a-real-token' }],
  [
    'reading',
    'refused_token_status=403,typ=absent',
    { readings: { refused_token_status: '403', typ: 'absent' } },
  ],
  ['memory-budget', '64', { memoryBudget: 64 }],
  ['slow-reply-seconds', '0', { slowReplySeconds: 0 }],
  ['store', 'redis://user:pass@redis:6379', { store: 'redis://user:pass@redis:6379' }],
  ['store', 'rediss://redis:6380/1', { store: 'rediss://redis:6380/1' }],
  ['redirect-uri', 'https://a.example/cb', { redirectUris: ['https://a.example/cb'] }],
  [
    'redirect-uri',
    'https://a.example/,http://b.example/',
    { redirectUris: ['https://a.example/', 'http://b.example/'] },
  ],
])('--%s %s gives %j as its environment variable does', async (flag, text, expected) => {
  expect((await load({ [flag]: asGiven(flag, text) })).sandbox).toMatchObject(expected)
  expect((await load({}, { [variableOf(flag)]: text })).sandbox).toMatchObject(expected)
})

test('--log gives the log mode as AGEKEY_SANDBOX_LOG does', async () => {
  expect((await load({ log: 'json' })).log).toBe('json')
  expect((await load({}, { AGEKEY_SANDBOX_LOG: 'json' })).log).toBe('json')
})

test('An empty AGEKEY_SANDBOX_LOG counts as unset', async () => {
  expect((await load({}, { AGEKEY_SANDBOX_LOG: '' })).log).toBe('pretty')
})

const STATUS = 'refused_token_status'
const NO_TOKEN =
  'expected one or more printable ASCII characters, the first and the last of them no blank'

test.each<[flag: string, text: string, problem: string]>([
  ['port', 'http', '"http" is not a port (0 to 65535)'],
  ['port', '65536', '65536 is not a port (0 to 65535)'],
  ['port', '80.5', '"80.5" is not a port (0 to 65535)'],
  ['port', '', '"" is not a port (0 to 65535)'],
  ['port', '1e3', '"1e3" is not a port (0 to 65535)'],
  ['seed', 'x', '"x" is not a whole number'],
  ['seed', '99999999999999999999', '100000000000000000000 is not a whole number'],
  ['memory-budget', '0', '0 is not a whole number of megabytes from 1 up'],
  ['slow-reply-seconds', 'long', '"long" is not a whole number of seconds from 0 to 600'],
  ['memory-budget', '1.5', '"1.5" is not a whole number of megabytes from 1 up'],
  ['signing-alg', 'HS256', 'unknown signing_alg "HS256". Did you mean "RS256" or "ES256"?'],
  ['log', 'loud', 'unknown log "loud"; expected one of pretty, json, silent'],
  [
    'base-url',
    'localhost:2435',
    '"localhost:2435" is not an http or https URL; a base URL looks like',
  ],
  ['base-url', 'ftp://localhost', '"ftp://localhost" is not an http or https URL'],
  ['base-url', 'http://u:p@x', 'the URL names a user or a password'],
  [
    'internal-url',
    'a:1',
    '"a:1" is not an http or https URL; an internal URL looks like http://agekey-sandbox:2435',
  ],
  ['https', 'yes', '"yes" is not true or false'],
  ['trust-host', '1', '"1" is not true or false'],
  ['persona', '', 'expected at least 1 character, found an empty text'],
  ['control-token', ' ', NO_TOKEN],
  ['control-token', ' token', NO_TOKEN],
  ['control-token', 'token ', NO_TOKEN],
  ['control-token', 'to\nken', NO_TOKEN],
  ['control-token', 'schlüssel', NO_TOKEN],
  ['reading', `${STATUS}s=403`, `there is no reading "${STATUS}s". Did you mean "${STATUS}"?`],
  ['reading', `${STATUS}=404`, `${STATUS} has no variant "404"; it has 401, 403.`],
  ['reading', STATUS, `"${STATUS}" names no variant; write ${STATUS}=401 or ${STATUS}=403`],
  [
    'reading',
    `${STATUS}=403,${STATUS}=401`,
    `${STATUS}=403 and ${STATUS}=401 exclude each other; drop one`,
  ],
  [
    'reading',
    'key_set=one,unknown_members=everywhere',
    'key_set=one and unknown_members=everywhere exclude',
  ],
  ['store', 'http://u:secret@redis', 'http:// is not a store; a store looks like redis://'],
  ['config', 'absent.yaml', 'absent.yaml: cannot read this config file (there is no such file)'],
  [
    'config',
    '/no/such.yaml',
    '/no/such.yaml: cannot read this config file (there is no such file)',
  ],
  ['config', '..', '..: cannot read this config file (it is a folder)'],
])('--%s %j is refused as its environment variable is: %s', async (flag, text, problem) => {
  const variable = variableOf(flag)
  await expect(load({ [flag]: asGiven(flag, text) })).rejects.toThrow(`--${flag}: ${problem}`)
  if (text !== '')
    await expect(load({}, { [variable]: text })).rejects.toThrow(`${variable}: ${problem}`)
})

test('--trust-proxy may be given again with a list of its own', async () => {
  const trustProxy = ['loopback', '10.0.0.0/8', '::1']
  expect((await load({ 'trust-proxy': ['loopback,10.0.0.0/8', '::1'] })).sandbox).toMatchObject({
    trustProxy,
  })
})

test('AGEKEY_SANDBOX_TRUST_PROXY is separated by commas', async () => {
  const trustProxy = ['loopback', '10.0.0.0/8', '::1']
  const env = { AGEKEY_SANDBOX_TRUST_PROXY: 'loopback, 10.0.0.0/8,::1' }
  expect((await load({}, env)).sandbox).toMatchObject({ trustProxy })
})

test('trust_proxy of the file may be one address', async () => {
  expect((await loadFile('trust_proxy: 10.0.0.0/8')).sandbox).toMatchObject({
    trustProxy: ['10.0.0.0/8'],
  })
})

test.each([
  [['10.0.0.0/8', '10.0.0.0/33'], '--trust-proxy[1]: "10.0.0.0/33" is no address of a proxy'],
  [['10.0.0.0/8,'], '--trust-proxy[1]: "" is no address of a proxy'],
  [['fd00::/129'], '"fd00::/129" is no address of a proxy'],
  [['10.0.0.0/0'], '"10.0.0.0/0" is no address of a proxy'],
  [['proxy.example'], 'Give an address, a range like 10.0.0.0/8, or loopback'],
])('--trust-proxy %j is refused', async (proxies, message) => {
  await expect(load({ 'trust-proxy': proxies })).rejects.toThrow(message)
})

test('Paths of flags are relative to the working folder as those of variables', async () => {
  const { cwd, load } = settingsIn()
  const files = {
    keys: 'k.json',
    'https-cert': 'c.pem',
    'https-key': 'h.pem',
    'state-dir': 'state',
  }
  const personas = ['mine', 'sub/x.yaml']
  const at = (path: string) => join(cwd, path)
  const [keys, httpsCert, httpsKey, stateDir] = Object.values(files).map(at)
  const sandbox = { personas: personas.map(at), keys, httpsCert, httpsKey, stateDir }
  expect(await load({ ...files, personas })).toMatchObject({ sandbox })
  const texts = Object.entries({ ...files, personas: personas.join(delimiter) + delimiter })
  const env = Object.fromEntries(texts.map(([flag, path]) => [variableOf(flag), path]))
  expect(await load({}, env)).toMatchObject({ sandbox })
})

test.each([
  ['PROT', 'unknown environment variable. Did you mean "AGEKEY_SANDBOX_PORT"?'],
  ['READINGS', 'unknown environment variable. Did you mean "AGEKEY_SANDBOX_READING"?'],
  ['GREASE', 'unknown environment variable. Known are AGEKEY_SANDBOX_CONFIG, '],
  ['REDIRECT_URI', 'unknown environment variable. Did you mean "AGEKEY_SANDBOX_REDIRECT_URIS"?'],
  ['PLATFORMS', 'only the config file gives platforms: write platforms: in agekey-sandbox.yaml'],
])('The environment variable AGEKEY_SANDBOX_%s is refused: %s', async (name, message) => {
  const variable = `AGEKEY_SANDBOX_${name}`
  await expect(load({}, { [variable]: '1' })).rejects.toThrow(`${variable}: ${message}`)
})

test.each([
  ['SERVICE_HOST', '10.0.0.7'],
  ['SERVICE_PORT', '2435'],
  ['SERVICE_PORT_HTTP', '2435'],
  ['PORT', 'tcp://10.0.0.7:2435'],
  ['PORT_2435_TCP_ADDR', '10.0.0.7'],
  ['PORT_2435_TCP_PORT', '2435'],
  ['PORT_2435_TCP_PROTO', 'tcp'],
  ['PORT_2435_TCP', 'tcp://10.0.0.7:2435'],
  ['REDIS_SERVICE_HOST', '10.0.0.8'],
  ['REDIS_SERVICE_PORT', '6379'],
  ['REDIS_SERVICE_PORT_TLS_MAIN', '6380'],
  ['REDIS_PORT', 'tcp://10.0.0.8:6379'],
  ['REDIS_PORT', 'tcp://[fd00::8]:6379'],
  ['REDIS_PORT_6379_TCP', 'tcp://10.0.0.8:6379'],
  ['REDIS_PORT_6379_TCP_ADDR', '10.0.0.8'],
  ['HEADLESS_SERVICE_HOST', '10.0.0.9'],
  ['QA_2_DNS_PORT', 'udp://10.0.0.9:53'],
  ['QA_2_DNS_PORT_53_UDP_PROTO', 'udp'],
  ['SIP_PORT_5060_SCTP_ADDR', '10.0.0.9'],
  ['SIP_PORT', 'sctp://10.0.0.9:5060'],
  ['NAME', '/web/agekey-sandbox'],
  ['ENV_NODE_VERSION', '22.0.0'],
  ['DB_NAME', '/web/db'],
  ['DB_ENV_PGDATA', '/data'],
])(
  'The variable AGEKEY_SANDBOX_%s=%s of a service beside the sandbox is no setting',
  async (name, value) => {
    expect((await load({}, { [`AGEKEY_SANDBOX_${name}`]: value })).sandbox).toEqual({
      port: 2435,
      host: '127.0.0.1',
    })
  },
)

test.each([
  ['REDIS_HOST', 'redis'],
  ['REDIS_PORT', '6379'],
  ['REDIS_PORT', 'redis:6379'],
  ['SERVICE', 'x'],
  ['SERVICE_HOSTS', '10.0.0.7'],
  ['REDIS_PORT_TCP', 'tcp://10.0.0.8:6379'],
  ['DB_NAME', 'orders'],
])(
  'The variable AGEKEY_SANDBOX_%s=%s, which no service link has, is unknown',
  async (name, value) => {
    await expect(load({}, { [`AGEKEY_SANDBOX_${name}`]: value })).rejects.toThrow(
      `${name}: unknown environment variable`,
    )
  },
)

test('Every setting of the config file becomes the option of its name', async () => {
  const certifications = { '/veratad/roc': { id_doc_scan: 'effective' } }
  const same = { port: 8080, host: '0.0.0.0', platforms: ['apple_wallet'], certifications }
  const paths = {
    state_dir: 'state',
    keys: 'keys.json',
    https_cert: 'c.pem',
    https_key: 'k.pem',
    personas: './mine',
  }
  const own = { name: 'Web shop', persona: 'adult-passport' }
  const web = {
    client_id: 'web-shop',
    client_secret: 'not-a-real-secret',
    redirect_uris: ['http://localhost/cb'],
  }
  const { cwd, load } = settingsIn({
    'settings/all.yaml': JSON.stringify({
      ...{
        ...same,
        ...paths,
        log: 'silent',
        base_url: 'http://localhost:8080/',
        memory_budget: 64,
      },
      ...{ builtin_client: false, provenance_allowlist: ['/veratad/roc', '/yoti'] },
      lifetimes: { request_uri: 1, code: 2, id_token: 3, access_token: 4 },
      clients: [{ ...own, ...web, logo: './logo.svg' }],
    }),
  })
  const at = (name: string) => join(cwd, 'settings', name)
  const { blame: _, ...settings } = await load({ config: 'settings/all.yaml' })
  const client = {
    clientId: 'web-shop',
    clientSecret: 'not-a-real-secret',
    redirectUris: ['http://localhost/cb'],
  }
  expect(settings).toEqual({
    ...{ log: 'silent', configFile: at('all.yaml'), isBlank: false, warnings: [] },
    sandbox: {
      ...{ ...same, baseUrl: 'http://localhost:8080', memoryBudget: 64, builtinClient: false },
      provenanceAllowlist: ['/veratad/roc', '/yoti'],
      lifetimes: { requestUri: 1, code: 2, idToken: 3, accessToken: 4 },
      ...{
        stateDir: at('state'),
        keys: at('keys.json'),
        httpsCert: at('c.pem'),
        httpsKey: at('k.pem'),
      },
      personas: [at('mine')],
      clients: [{ ...own, ...client, logo: at('logo.svg') }],
    },
  })
})

const clients = (changes: object) => {
  const shop = { client_id: 'shop', client_secret: 's', redirect_uris: ['https://shop.example/cb'] }
  return `clients:\n  - ${JSON.stringify(shop)}\n  - ${JSON.stringify({ ...shop, client_id: 'a', ...changes })}`
}

const BUILTIN = 'ak_test_sandbox'
const CHOOSE = 'choose another id or set builtin_client: false'
const NO_ALG = 'unknown signing_alg "none"; expected one of RS256, ES256'

test.each([
  ['seed: 1\nprot: 1', 'agekey-sandbox.yaml:2: prot: unknown key. Did you mean "port"?'],
  [
    'internal_ur: http://a',
    'agekey-sandbox.yaml:1: internal_ur: unknown key. Did you mean "internal_url"?',
  ],
  ['port: http', 'agekey-sandbox.yaml:1: port: "http" is not a port (0 to 65535)'],
  ['port: .nan', 'agekey-sandbox.yaml:1: port: '],
  [
    'profile: svc',
    'agekey-sandbox.yaml:1: profile: unknown profile "svc"; expected one of spec, agekey',
  ],
  [
    'builtin_client: sure',
    'agekey-sandbox.yaml:1: builtin_client: expected true or false, found the text "sure"',
  ],
  ['trust_proxy: true', /agekey-sandbox\.yaml:1.*trust_proxy/],
  ['lifetimes: { code: 1h }', 'lifetimes.code: "1h" is not a whole number of seconds from 1 up'],
  [
    'provenance_allowlist: [/veratad/*]',
    'provenance_allowlist[0]: "/veratad/*" is not a path like /provider',
  ],
  [
    'certifications: { /yoti: { id_doc_scam: strict } }',
    'id_doc_scam: unknown key. Did you mean "id_doc_scan"?',
  ],
  [
    'certifications: { /yoti: { id_doc_scan: strikt } }',
    'unknown id_doc_scan "strikt". Did you mean "strict"?',
  ],
  ['personas: 7', 'personas: expected a text or a list, found 7'],
  ['clients: {}', 'clients: expected a list, found a mapping'],
  [clients({ client_id: 'shop' }), ':3: clients[1].client_id: "shop" is declared twice'],
  [clients({ client_id: BUILTIN }), `"${BUILTIN}" is the built-in client; ${CHOOSE}`],
  [
    clients({ client_secret: 'ü' }),
    'clients[1].client_secret: expected one or more printable ASCII',
  ],
  [clients({ client_id: '' }), 'clients[1].client_id: expected one or more printable ASCII'],
  [clients({ signing_alg: 'none' }), `clients[1].signing_alg: ${NO_ALG}`],
  [clients({ redirect_uris: [] }), 'clients[1].redirect_uris: expected at least 1 item'],
  [
    clients({ redirect_uri: 'x' }),
    'clients[1].redirect_uri: unknown key. Did you mean "redirect_uris"?',
  ],
])('The config file %j is refused by file:line with a suggestion', async (text, message) => {
  await expect(loadFile(text)).rejects.toThrow(message)
})

test('The id of the built-in client is free when builtin_client is false', async () => {
  const { sandbox } = await loadFile(`${clients({ client_id: BUILTIN })}\nbuiltin_client: false`)
  expect(sandbox.clients?.[1]?.clientId).toBe(BUILTIN)
})

const withUri = (uri: string) =>
  loadFile(
    `clients: [{ client_id: shop, client_secret: s, redirect_uris: [${JSON.stringify(uri)}] }]`,
  )

test.each([
  'https://shop.example/callback?from=agekey',
  'http://[::1]:3000/callback',
  'http://app:3000/callback',
  'https://*.shop.example/cb',
])('The redirect URI %s in the config file is taken as it is', async (uri) => {
  const { sandbox } = await withUri(uri)
  expect(sandbox.clients?.[0]?.redirectUris).toEqual([uri])
})

const NO_URL = 'is not an http or https URL'
const NO_URLS = [
  'javascript:alert(1)',
  'shop://callback',
  'https:shop.example',
  '/callback',
  ' https://shop.example/',
]

test.each<[uri: string, reason: string]>([
  ['https://shop.example/#top', 'has no fragment'],
  ['https://shop.example/#', 'has no fragment'],
  ['https://user@shop.example/', 'names a user or a password'],
  ['https://:secret@shop.example/', 'names a user or a password'],
  ...[...NO_URLS, 'https://a/\tb', 'http://localhost:*/', ''].map((uri): [string, string] => [
    uri,
    NO_URL,
  ]),
])('The redirect URI %j in the config file is refused: it %s', async (uri, reason) => {
  await expect(withUri(uri)).rejects.toThrow(
    new RegExp(`clients\\[0\\]\\.redirect_uris\\[0\\]: .*${reason}`),
  )
})

const REASON = 'there is no persona "teen-61"'
const blamed = async (
  settings: Promise<Settings>,
  path: [string, ...(string | number)[]] = ['persona'],
) => String(await (await settings).blame(path, REASON))

test('A name that only the sandbox knows to be wrong is blamed on its flag, variable, or line of the config file', async () => {
  const at = (place: string) => `ConfigError: ${place}: ${REASON}`
  expect(await blamed(load({ persona: 'teen-61' }))).toBe(at('--persona'))
  expect(await blamed(load({ 'coverage-file': 'notes.txt' }), ['coverage_file'])).toBe(
    at('--coverage-file'),
  )
  expect(await blamed(load({}, { AGEKEY_SANDBOX_PERSONA: 'teen-61' }))).toBe(
    at('AGEKEY_SANDBOX_PERSONA'),
  )
  const client =
    '  - client_id: a\n    client_secret: b\n    persona: teen-61\n    redirect_uris: [https://a.example/]\n'
  const settings = loadFile(`seed: 1\npersona: teen-61\nclients:\n${client}`)
  expect(await blamed(settings)).toBe(at('agekey-sandbox.yaml:2: persona'))
  expect(await blamed(settings, ['clients', 0, 'persona'])).toBe(
    at('agekey-sandbox.yaml:6: clients[0].persona'),
  )
})

test.each<[NodeJS.Platform, Record<string, string>, string | undefined]>([
  ['linux', { HOME: '/home/mia' }, '/home/mia/.local/state'],
  ['linux', { HOME: '/home/mia', XDG_STATE_HOME: '/state' }, '/state'],
  ['linux', { HOME: '/home/mia', XDG_STATE_HOME: 'relative' }, '/home/mia/.local/state'],
  ['linux', {}, undefined],
  ['linux', { HOME: '' }, undefined],
  ['darwin', { HOME: '/Users/mia' }, '/Users/mia/Library/Application Support'],
  ['win32', { LOCALAPPDATA: 'C:\\Users\\mia\\AppData\\Local' }, 'C:\\Users\\mia\\AppData\\Local'],
  ['win32', {}, undefined],
])('State on %s with %j stands in %s', (platform, env, folder) => {
  expect(stateHome(env, platform)).toBe(folder)
})

test('The state folder is that of the user unless another is named', async () => {
  const { cwd, load } = settingsIn({ 'none.yaml': 'state_dir: none' })
  const stateDirOf = async (flags: Texts) => {
    const { sandbox, warnings } = await load(flags, { XDG_STATE_HOME: cwd })
    expect(warnings).toEqual([])
    return sandbox.stateDir
  }
  expect(await stateDirOf({})).toBe(join(cwd, 'agekey-sandbox'))
  expect(await stateDirOf({ 'state-dir': 'mine' })).toBe(join(cwd, 'mine'))
  expect(await stateDirOf({ 'state-dir': 'none' })).toBeUndefined()
  expect(await stateDirOf({ config: 'none.yaml' })).toBeUndefined()
})

test('There is no state folder, with a warning, where that of the user cannot be made', async () => {
  const { cwd, load } = settingsIn({ file: '' })
  const { sandbox, warnings } = await load({}, { XDG_STATE_HOME: join(cwd, 'file') })
  expect(sandbox).not.toHaveProperty('stateDir')
  expect(warnings).toEqual([
    expect.stringMatching(/file\/agekey-sandbox cannot be written.*--state-dir/),
  ])
})

test.each([
  [
    'UTF-16',
    Buffer.from('\uFEFFport: 1\n', 'utf16le'),
    /^agekey-sandbox\.yaml: is UTF-16 \(PowerShell's > writes that\); /,
  ],
  [
    'Latin-1',
    Buffer.from('# M\xFCller\nport: 1\n', 'latin1'),
    /^agekey-sandbox\.yaml:1: the byte 0xFC \(ü in Latin-1\)/,
  ],
  [
    '1 MiB and a byte',
    Buffer.alloc(1024 * 1024 + 1, '#'),
    /^agekey-sandbox\.yaml: has 1048577 bytes, and 1048576 are/,
  ],
  [
    'many levels',
    Buffer.from(`clients: ${'['.repeat(30_000)}`),
    /^agekey-sandbox\.yaml:1: level 65 of lists and/,
  ],
])('A config file of %s stops the start in one line', async (_, bytes, message) => {
  await expect(settingsIn({ 'agekey-sandbox.yaml': bytes }).load()).rejects.toThrow(message)
})

test('A config file that a flag names is refused in the same words, behind the flag', async () => {
  const { load } = settingsIn({ 'a.yaml': Buffer.from('\uFEFFport: 1\n', 'utf16le') })
  await expect(load({ config: 'a.yaml' })).rejects.toThrow(/^--config: a\.yaml: is UTF-16/)
})

test('A config file is read without the byte order mark of an editor', async () => {
  expect((await loadFile('\uFEFF# comment\nport: 1\n')).sandbox.port).toBe(1)
})
