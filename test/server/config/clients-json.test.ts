import { expect, test } from 'vitest'
import { BUILTIN_CLIENT } from '../../../src/sandbox/clients/clients.ts'
import { loadEnvironment, problemOf, settingsIn } from './settings-in.ts'

const SHOP = {
  client_id: 'shop',
  client_secret: 'hunter2',
  redirect_uris: ['https://shop.example/cb'],
}
const withClients = (text: string) => loadEnvironment({ AGEKEY_SANDBOX_CLIENTS: text })

test('AGEKEY_SANDBOX_CLIENTS takes the list of clients as JSON', async () => {
  const { sandbox } = await withClients(
    JSON.stringify([{ ...SHOP, signing_alg: 'ES256' }], undefined, 2),
  )
  const shop = {
    clientId: 'shop',
    clientSecret: 'hunter2',
    redirectUris: SHOP.redirect_uris,
    signingAlg: 'ES256',
  }
  expect(sandbox.clients).toEqual([shop])
})

test('AGEKEY_SANDBOX_CLIENTS takes the place of the list in the config file', async () => {
  const { load } = settingsIn({
    'agekey-sandbox.yaml': JSON.stringify({ clients: [{ ...SHOP, client_id: 'file' }] }),
  })
  const { sandbox } = await load({}, { AGEKEY_SANDBOX_CLIENTS: JSON.stringify([SHOP]) })
  expect(sandbox.clients?.map(({ clientId }) => clientId)).toEqual(['shop'])
})

test('The logo of a client in the environment is relative to the working folder', async () => {
  const { cwd, load } = settingsIn()
  const { sandbox } = await load(
    {},
    { AGEKEY_SANDBOX_CLIENTS: JSON.stringify([{ ...SHOP, logo: './a.svg' }]) },
  )
  expect(sandbox.clients?.[0]?.logo).toBe(`${cwd}/a.svg`)
})

test.each([
  [
    [{ ...SHOP, redirect_uris: ['https://a.example/', 'x'] }],
    '[0].redirect_uris[1]: "x" is not an http or https URL',
  ],
  [
    [SHOP, { ...SHOP, client_id: 'ü' }],
    '[1].client_id: expected one or more printable ASCII characters',
  ],
  [[SHOP, SHOP], '[1].client_id: "shop" is declared twice'],
  [
    [{ ...SHOP, client_secret: 'hunter2ü' }],
    '[0].client_secret: expected one or more printable ASCII characters',
  ],
  [[{ ...SHOP, clientId: 'a' }], '[0].clientId: unknown key. Did you mean "client_id"?'],
  [[SHOP, 'shop:hunter2'], ': item 1 of the list is no client; write [{"client_id": "web-shop"'],
  [SHOP, ': expected a list of clients as JSON, found one client; write it in square brackets'],
  [
    'shop:hunter2',
    ': expected a list of clients as JSON, found none; write [{"client_id": "web-shop"',
  ],
  [
    [{ ...SHOP, client_id: BUILTIN_CLIENT.clientId }],
    '[0].client_id: "ak_test_sandbox" is the built-in client; choose',
  ],
])('AGEKEY_SANDBOX_CLIENTS with the JSON %j is refused', async (value, message) => {
  const problem = await problemOf(withClients(JSON.stringify(value)))
  expect(problem).toContain(`AGEKEY_SANDBOX_CLIENTS${message}`)
  expect(problem).not.toContain('hunter2')
})

test('A client may have the id of the built-in client, which the config file removes', async () => {
  const { load } = settingsIn({ 'agekey-sandbox.yaml': 'builtin_client: false' })
  const clients = JSON.stringify([{ ...SHOP, client_id: BUILTIN_CLIENT.clientId }])
  const { sandbox } = await load({}, { AGEKEY_SANDBOX_CLIENTS: clients })
  expect(sandbox.clients?.[0]?.clientId).toBe(BUILTIN_CLIENT.clientId)
})

test.each([
  ['[{"a": "hunter2"}', 'the text ends after 17 characters, before its list does'],
  ['[{"a": "hunter2]', 'the text of 16 characters is no JSON from character 8 on'],
  ['["hunter2" "b"]', 'from character 12 on'],
  ['[{"a" "hunter2"}]', 'from character 7 on'],
  ['[{"hunter2"}]', 'from character 12 on'],
  ['["hunter2": 1]', 'from character 11 on'],
  ['[{"a": hunter2}]', 'from character 8 on'],
  ['[{"a": 01}]', 'from character 8 on'],
  ['[{"a": 1}}', 'from character 10 on'],
  ['["hunter2"] []', 'from character 13 on'],
  ['["hunter2",]', 'from character 12 on: leave out the comma before a closing bracket'],
  ["[{'a': 'hunter2'}]", 'from character 3 on: write double quotes instead of single ones'],
  [
    '[{client_id: hunter2}]',
    'from character 3 on: its double quotes are missing; put the list into single quotes',
  ],
  [
    '[{\\"a\\": \\"hunter2\\"}]',
    'from character 3 on: leave out the backslashes before the quotation marks',
  ],
  [
    '[{“a”: “hunter2”}]',
    'from character 3 on: write plain double quotes instead of typographic ones',
  ],
  ['\'["hunter2"]\'', 'from character 1 on: leave out the quotation marks around the list'],
  [
    '- client_id: hunter2',
    'from character 1 on: a variable takes JSON; YAML stands in the config file',
  ],
  ['[ // mine\n "hunter2"]', 'from character 3 on: JSON has no comments; leave them out'],
  ['hunter2', 'from character 1 on: write [{"client_id": "web-shop"'],
])(
  'AGEKEY_SANDBOX_CLIENTS=%s is refused with the place where its JSON breaks',
  async (text, place) => {
    const problem = await problemOf(withClients(text))
    expect(problem).toContain(
      'AGEKEY_SANDBOX_CLIENTS: expected a list of clients as JSON; the text ',
    )
    expect(problem).toContain(place)
    expect(problem).not.toContain('hunter2')
  },
)
