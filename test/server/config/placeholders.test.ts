// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a placeholder may look so
import { expect, test } from 'vitest'
import { loadEnvironment, loadFile, problemOf, settingsIn } from './settings-in.ts'

const IN_FILE =
  'is a placeholder that nothing has replaced; write the value itself, or ${NAME} to take it from'
const IN_TEXT =
  'is a placeholder that nothing has replaced; write the value itself; only the config file expands ${NAME}'

test.each([
  ['{{host}}', '{{host}}'],
  ['http://{{host}}:2435', '{{host}}'],
  ['http://{{ host }}/', '"{{ host }}"'],
  ['{{ env "BASE" }}', '"{{ env \\"BASE\\" }}"'],
  ['{host}', '{host}'],
  ['http://{host}/age', '{host}'],
  ['http://localhost:{port}', '{port}'],
  ['http://localhost/{0}', '{0}'],
  ['"#{BASE}#"', '#{BASE}#'],
  ['{% base %}', '"{% base %}"'],
  ['http://<your-host>:2435', '<your-host>'],
  ['<your base URL>', '"<your base URL>"'],
  ['http://localhost:<port>', '<port>'],
  ['%BASE%', '%BASE%'],
  ['http://%HOST%:2435', '%HOST%'],
  ['http://localhost/%DE_PATH%', '%DE_PATH%'],
  ['$BASE', '$BASE'],
  ['http://$HOST:2435', '$HOST'],
  ['http://$host', '$host'],
  ['http://localhost/$PATH_OF_APP', '$PATH_OF_APP'],
  ['http://$(HOST)', '$(HOST)'],
  ['http://((host))', '((host))'],
  ['$env:BASE', '$env:BASE'],
  ['http://__HOST__', '__HOST__'],
  ['@BASE@', '@BASE@'],
  ['http://[host]:80', '[host]'],
])('The base URL %s in the config file stops the start', async (written, placeholder) => {
  const message = await problemOf(loadFile(`seed: 1\nbase_url: ${written}`))
  expect(message).toContain(`agekey-sandbox.yaml:2: base_url: ${placeholder} ${IN_FILE}`)
})

const client = (member: string, value: string) => {
  const members = {
    client_id: 'shop',
    client_secret: 's',
    redirect_uris: '[http://localhost/cb]',
    [member]: value,
  }
  return `clients:\n  - ${Object.entries(members)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n    ')}`
}

test.each([
  ['internal_url: http://{{host}}', '{{host}}'],
  ['host: $HOST', '$HOST'],
  ['base_path: /{{path}}', '{{path}}'],
  ['trust_proxy: [10.0.0.1, <proxy>]', '<proxy>'],
  ['redirect_uris: [https://%HOST%/cb]', '%HOST%'],
  ['redirect_uris: [https://{host}/cb]', '{host}'],
  ['redirect_uris: [http://localhost/, "https://{{host}}/cb"]', '{{host}}'],
  [client('redirect_uris', '[https://<host>/cb]'), '<host>'],
  ['store: redis://$(REDIS):6379', '$(...)'],
  ['store: redis://:{{password}}@redis', '{{...}}'],
  ['store: "redis://:<password>@redis"', '<...>'],
  [client('client_id', '{{id}}'), '{{id}}'],
  [client('client_id', '<client-id>'), '<client-id>'],
  [client('client_id', '{id}'), '{id}'],
  [client('client_secret', '{{secret}}'), '{{...}}'],
  [client('client_secret', '{secret}'), '{...}'],
  [client('client_secret', '<your-secret>'), '<...>'],
  [client('client_secret', '%SECRET%'), '%...%'],
  [client('client_secret', '$SECRET'), '$...'],
  [client('client_secret', '$(SECRET)'), '$(...)'],
  [client('client_secret', '__SECRET__'), '__...__'],
  [client('name', '{{name}}'), '{{name}}'],
  [client('persona', '%PERSONA%'), '%PERSONA%'],
  ['control_token: <token>', '<...>'],
  ['persona: {persona}', '{persona}'],
  ['port: "{{port}}"', '{{port}}'],
  ['port: {{port}}', '{{port}}'],
  ['state_dir: $STATE', '$STATE'],
])('The placeholder in %j stops the start', async (text, placeholder) => {
  expect(await problemOf(loadFile(text))).toContain(`: ${placeholder} ${IN_FILE}`)
})

test('Every placeholder of the config file is named with its line', async () => {
  const lines = (
    await problemOf(loadFile('base_url: http://{{a}}\nseed: 1\ninternal_url: http://<b>'))
  ).split('\n')
  expect(lines).toEqual([
    expect.stringContaining('agekey-sandbox.yaml:1: base_url: {{a}}'),
    expect.stringContaining('agekey-sandbox.yaml:3: internal_url: <b>'),
  ])
})

test.each([
  'base_url: http://localhost/%C3%A9',
  'base_url: http://[::1]:2435',
  'base_url: http://localhost/$metadata',
  'redirect_uris: ["https://a.example/%DE%AD%BE%EF"]',
  'redirect_uris: ["https://a.example/cb?$filter=x%20y"]',
  'redirect_uris: ["https://a.example/cb?u=%7Bid%7D"]',
  'redirect_uris: ["https://a.example/(x)/__/auth/handler"]',
  'redirect_uris: ["http://[::1]:3000/cb?a[]=1"]',
  'store: "redis://:pa{x}ss<y>%41@redis:6379"',
  client('client_secret', 'a{{b}}c'),
  client('client_secret', 'a<b>c'),
  client('client_secret', '"50%off%"'),
  client('client_secret', '$ecret'),
  client('client_secret', 'a$HOST'),
  client('client_secret', '"{\\"a\\": 1}"'),
  client('name', '"<b>Shop</b> {1}"'),
])('The config file %j holds no placeholder', async (text) => {
  expect(await problemOf(loadFile(text))).toBe('there is no problem')
})

test.each<[flag: string, text: string, placeholder: string]>([
  ['base-url', 'https://${CODESPACE_NAME}-2435.app.github.dev', '${CODESPACE_NAME}'],
  ['base-url', 'https://${CODESPACE_NAME', '${CODESPACE_NAME'],
  ['base-url', 'http://{{host}}', '{{host}}'],
  ['internal-url', 'http://$(HOST)', '$(HOST)'],
  ['host', '$HOST', '$HOST'],
  ['port', '%PORT%', '%PORT%'],
  ['persona', '<persona>', '<persona>'],
  ['control-token', '${TOKEN}', '${...}'],
  ['control-token', '<your-token>', '<...>'],
  ['store', 'redis://{{redis}}', '{{...}}'],
])('The placeholder of --%s %s stops the start', async (flag, text, placeholder) => {
  const message = await problemOf(settingsIn().load({ [flag]: text }))
  expect(message).toBe(`--${flag}: ${placeholder} ${IN_TEXT}`)
})

test.each([
  ['BASE_URL', 'http://{{host}}', '{{host}}'],
  ['REDIRECT_URIS', 'https://a.example/,https://$HOST/', '[1]: $HOST'],
  ['CONTROL_TOKEN', '{{token}}', '{{...}}'],
  [
    'CLIENTS',
    '[{"client_id":"<id>","client_secret":"s","redirect_uris":["http://a"]}]',
    '[0].client_id: <id>',
  ],
  [
    'CLIENTS',
    '[{"client_id":"a","client_secret":"$S_1","redirect_uris":["http://a"]}]',
    '[0].client_secret: $...',
  ],
])('The placeholder of AGEKEY_SANDBOX_%s=%s stops the start', async (name, value, placeholder) => {
  const message = await problemOf(loadEnvironment({ [`AGEKEY_SANDBOX_${name}`]: value }))
  const place = placeholder.startsWith('[') ? placeholder : `: ${placeholder}`
  expect(message).toBe(`AGEKEY_SANDBOX_${name}${place} ${IN_TEXT}`)
})

test('A control token with a reference inside is taken as it is', async () => {
  const { sandbox } = await loadEnvironment({ AGEKEY_SANDBOX_CONTROL_TOKEN: 'a${b}c' })
  expect(sandbox.controlToken).toBe('a${b}c')
})
