// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config file has such references
import { expect, test } from 'vitest'
import { loadFile, problemOf, settingsIn } from '../settings-in.ts'

/** A config file with one client. */
const client = (secret: string, redirectUri = 'http://localhost/cb') =>
  `clients:\n  - client_id: shop\n    client_secret: ${secret}\n    redirect_uris: [${redirectUri}]\n`

/** Each secret of the clients in a config file. */
const secretIn = async (text: string, env: Record<string, string>) =>
  (await loadFile(text, env)).sandbox.clients?.map(({ clientSecret }) => clientSecret)

const ENV = { HOST: 'age.example', PORT: '8080', EMPTY: '', NUMBER: '42', TRUE: 'true' }

test.each([
  ['base_url: https://${HOST}', { baseUrl: 'https://age.example' }],
  ['base_url: https://${HOST}:${PORT}/a', { baseUrl: 'https://age.example:8080/a' }],
  ['base_url: "https://${HOST}"', { baseUrl: 'https://age.example' }],
  ["base_url: 'https://${HOST}'", { baseUrl: 'https://age.example' }],
  ['base_url: >-\n  https://${HOST}', { baseUrl: 'https://age.example' }],
  ['base_url: |-\n  https://${HOST}', { baseUrl: 'https://age.example' }],
  ['base_url: ${ABSENT:-http://localhost:1}', { baseUrl: 'http://localhost:1' }],
  ['base_url: ${EMPTY:-http://localhost:1}', { baseUrl: 'http://localhost:1' }],
  ['base_url: http://localhost:1${ABSENT:-}${EMPTY}', { baseUrl: 'http://localhost:1' }],
  ['platforms: [${HOST}, x-${PORT}]', { platforms: ['age.example', 'x-8080'] }],
  [
    'platforms:\n  - ${HOST}\n  - ${ABSENT:-a, b: c #d}',
    { platforms: ['age.example', 'a, b: c #d'] },
  ],
  ['platforms: [${ABSENT:-a,b}, "${ABSENT:-c}"]', { platforms: ['a,b', 'c'] }],
  ['{"platforms": ["${HOST}"], "port": "${PORT}"}', { platforms: ['age.example'], port: 8080 }],
  ['platforms: [&host "${HOST}", *host]', { platforms: ['age.example', 'age.example'] }],
  ['# ${ABSENT}\nseed: 1 # ${ABSENT}', { seed: 1 }],
])('The config file %j takes its values from the environment', async (text, settings) => {
  expect((await loadFile(text, ENV)).sandbox).toMatchObject(settings)
})

test.each([
  ['port: ${PORT}', { port: 8080 }],
  ['port: "${PORT}"', { port: 8080 }],
  ['port: 8${ZERO:-0}', { port: 80 }],
  ['port: ${PORT_WITH_RETURN}', { port: 8080 }],
  ['https: ${TRUE}', { https: true }],
  ['https: ${ABSENT:-false}', { https: false }],
  ['builtin_client: ${TRUE}', { builtinClient: true }],
  [
    'lifetimes: { code: ${NUMBER}, id_token: "${NUMBER}" }',
    { lifetimes: { code: 42, idToken: 42 } },
  ],
  ['slow_reply_seconds: ${NUMBER}', { slowReplySeconds: 42 }],
  ['seed: -${NUMBER}', { seed: -42 }],
  ['memory_budget: ${NUMBER}', { memoryBudget: 42 }],
  [
    'readings: { refused_token_status: ${ABSENT:-403} }',
    { readings: { refused_token_status: '403' } },
  ],
  ['persona: ${NUMBER}', { persona: '42' }],
  ['platforms: [${TRUE}]', { platforms: ['true'] }],
])(
  'The config file %j reads a number or a boolean where the setting wants one',
  async (text, settings) => {
    expect((await loadFile(text, { ...ENV, PORT_WITH_RETURN: '8080\r' })).sandbox).toMatchObject(
      settings,
    )
  },
)

test.each([
  ...['0123456789', 'true', 'False', '1e3', '~', 'null', '0x1F', '2026-01-01', '.inf'],
  ...[
    'a: b',
    '[x',
    '{a: b}',
    '"',
    "'",
    '#',
    ' #x ',
    '- x',
    '|',
    '>',
    '*a',
    '&a b',
    '!!binary x',
    '%X%',
    '@x',
    '`x`',
  ],
  ...['${OTHER}', '$${OTHER}', '$HOST', '<secret>', '{secret}', '{{secret}}', '\\n', 'a\\"b'],
])('A variable that holds %j gives exactly that to a secret', async (value) => {
  expect(await secretIn(client('${SECRET}'), { SECRET: value, OTHER: 'x' })).toEqual([value])
})

test.each([
  ['a$${b}c', 'a${b}c'],
  ['$${NAME}', '${NAME}'],
  ['$$${NAME}', '$${NAME}'],
  ['$${a}${HOST}', '${a}age.example'],
  ['a$b$$c$', 'a$b$$c$'],
  ['a$', 'a$'],
])('The secret %s in the config file is %s', async (written, secret) => {
  expect(await secretIn(client(written), ENV)).toEqual([secret])
})

test('An escaped reference stays in a redirect URI', async () => {
  const { sandbox } = await loadFile(client('s', 'https://shop.example/?next=$${NEXT}'))
  expect(sandbox.clients?.[0]?.redirectUris).toEqual(['https://shop.example/?next=${NEXT}'])
})

test('Every variable that is not set is named with its line in the file', async () => {
  const text = `base_url: \${A}\nseed: \${B:-1}\nplatforms: [x, \${C}]\n${client('${D}')}`
  const remedy = (name: string) =>
    `the environment variable ${name} is not set; set it, or write \${${name}:-default}`
  expect((await problemOf(loadFile(text))).split('\n')).toEqual([
    `agekey-sandbox.yaml:1: base_url: ${remedy('A')}`,
    `agekey-sandbox.yaml:3: platforms[1]: ${remedy('C')}`,
    `agekey-sandbox.yaml:6: clients[0].client_secret: ${remedy('D')}`,
  ])
})

test('The name of a member that every object has is no variable', async () => {
  expect(await problemOf(loadFile('persona: ${constructor}'))).toContain(
    'variable constructor is not set',
  )
})

test.each([
  ['${}', 'names no environment variable'],
  ['${A-x}', 'cannot be expanded'],
  ['${A:?x}', 'cannot be expanded'],
  ['${A:+x}', 'cannot be expanded'],
  ['${A:}', 'cannot be expanded'],
  ['${1A}', 'cannot be expanded'],
  ['${A B}', 'cannot be expanded'],
  ['${ A }', 'cannot be expanded'],
  ['${A.b}', 'cannot be expanded'],
  ['${A:-${B}}', 'holds another ${, but a default is a plain text'],
  ['${A', 'has no closing brace'],
  ['x${', 'has no closing brace'],
])('The reference %s is refused: it %s', async (reference, problem) => {
  const message = await problemOf(
    loadFile(`seed: 1\nplatforms: [${reference}]`, { A: 'a', B: 'b' }),
  )
  expect(message).toMatch(/^agekey-sandbox\.yaml:2: platforms\[0\]: "\$\{/)
  expect(message).toContain(
    ` ${problem}; write \${NAME}, or \${NAME:-default} for a variable that may be missing`,
  )
})

test('The message about a wrong reference repeats nothing of a secret', async () => {
  const message = await problemOf(loadFile(client('hunter${2 x')))
  expect(message).toContain(':3: clients[0].client_secret: a reference has no closing brace')
  expect(message).not.toContain('hunter')
})

test('A key of the config file is not expanded', async () => {
  expect(await problemOf(loadFile('${KEY}: 1', { KEY: 'seed' }))).toContain(
    '["${KEY}"]: unknown key',
  )
})

test.each([
  ['port: ${VALUE}', 'seven', '"seven" is not a port (0 to 65535); the value comes from ${VALUE}'],
  ['port: ${VALUE}', '', '"" is not a port (0 to 65535); the environment variable VALUE is empty'],
  ['persona: ${VALUE}', '', 'found an empty text; the environment variable VALUE is empty'],
  ['profile: ${VALUE}', 'agekye', 'Did you mean "agekey"? The value comes from ${VALUE}'],
  ['seed: ${VALUE}', '1.5', '1.5 is not a whole number; the value comes from ${VALUE}'],
  ['base_url: http://${VALUE}', '{{host}}', '{{host}} is a placeholder that nothing has replaced'],
])(
  'The config file %j with the variable %j is refused by a message that names the variable',
  async (text, value, message) => {
    expect(await problemOf(loadFile(text, { VALUE: value }))).toContain(message)
  },
)

test.each(['API_TOKEN', 'DB_PASSWORD', 'MY_SECRET', 'aws_key', 'URL'])(
  'The value of the secret variable %s is in no message',
  async (name) => {
    const value = name === 'URL' ? 'redis://:hunter2@redis' : 'hunter2'
    const message = await problemOf(loadFile(`seed: 1\nport: \${${name}}`, { [name]: value }))
    const problem = '"***" is not a port (0 to 65535)'
    expect(message).toBe(
      `agekey-sandbox.yaml:2: port: ${problem}; the value comes from \${${name}}`,
    )
  },
)

test('A long secret is in no message, not even its beginning', async () => {
  const message = await problemOf(
    loadFile('log: x-${API_TOKEN}', { API_TOKEN: 'hunter2'.repeat(20) }),
  )
  expect(message).toContain('unknown log "x-***"')
  expect(message).not.toContain('hunter')
})

test('A name that only the sandbox knows to be wrong is blamed on its variable', async () => {
  const { blame } = await loadFile('seed: 1\npersona: ${WHO}', { WHO: 'teen-61' })
  const error = String(await blame(['persona'], 'there is no persona "teen-61"'))
  expect(error).toContain(
    'agekey-sandbox.yaml:2: persona: there is no persona "teen-61"; the value comes from ${WHO}',
  )
})

test('A secret that only the sandbox knows to be wrong is in no message', async () => {
  const { blame } = await loadFile('persona: ${API_TOKEN}', { API_TOKEN: 'hunter2' })
  const error = String(await blame(['persona'], 'there is no persona "hunter2"'))
  expect(error).toContain(
    'the value cannot be used here, and is not shown; the value comes from ${API_TOKEN}',
  )
  expect(error).not.toContain('hunter2')
})

test('A path from a variable is relative to the config file', async () => {
  const { cwd, load } = settingsIn({ 'conf/a.yaml': 'keys: ${KEYS}' })
  expect((await load({ config: 'conf/a.yaml' }, { KEYS: 'k.json' })).sandbox.keys).toBe(
    `${cwd}/conf/k.json`,
  )
})
