import { expect, test } from 'vitest'
import { loadFile, problemOf } from '../settings-in.ts'

const BELOW = 'write clients as a list below "clients:"; each client begins with "- client_id: ..."'
const INIT = '"agekey-sandbox init" writes a file that explains every setting'
const json = (value: unknown) => JSON.stringify(value)

test.each([
  [
    '- client_id: shop\n  client_secret: hunter2',
    `:1: expected settings such as "port: 2435", found a list of 1; ${BELOW}`,
  ],
  [
    json([{ ClientId: 'a', ClientSecrets: ['hunter2'], RedirectUris: [] }]),
    'write ClientId as client_id',
  ],
  [json([{ 'client-id': 'a' }, {}]), 'found a list of 2'],
  ['[]', `found a list of 0; ${BELOW}`],
  ['- port: 1', `found a list of 1; ${INIT}`],
  [
    '- name: x\n  age_key: {}',
    'expected settings, found personas; name the file of a persona under "personas:"',
  ],
  [
    'seed: 1\nclient_id: shop\nclient_secret: hunter2',
    `:2: client_id: belongs to a client; ${BELOW}`,
  ],
  [
    json({ clientId: 'a', clientSecret: 'hunter2', redirectUris: [] }),
    'write clientId as client_id',
  ],
  ['redirect_uris: [http://a/]\nclient_secret: hunter2', ':2: client_secret: belongs to a client'],
  [
    'clients:\n  shop:\n    client_secret: hunter2',
    ':1: clients: expected a list, found a mapping; begin each client with',
  ],
  [
    json({ interactiveLogin: true, tokenCallbacks: [] }),
    'tokenCallbacks: is a setting of mock-oauth2-server',
  ],
  [
    json({ realm: 'x', clients: [{ clientId: 'a', secret: 'hunter2' }] }),
    'realm: is a setting of Keycloak',
  ],
  ['issuer: http://a', 'issuer: is no setting: the issuer follows from base_url'],
  ['staticClients:\n- id: a\n  secret: hunter2', `staticClients: is a setting of dex; ${BELOW}`],
  [
    'name: x\nage_key:\n  signals: []',
    ':2: age_key: belongs to a persona; name the file of a persona under "personas:"',
  ],
  ['name: x\nsteps: []', 'steps: belongs to a scenario; play it with "agekey-sandbox run FILE"'],
  [
    'agekey_sandbox:\n  port: 1',
    'agekey_sandbox: settings stand at the top of the file: leave out "agekey_sandbox:"',
  ],
  [
    'AGEKEY_SANDBOX_CONTROL_TOKEN=hunter2',
    'found a text; write a colon and a blank instead of the equals sign',
  ],
  ['port = 2435', 'write a colon and a blank instead of the equals sign'],
  ['port:2435', 'found a text; write a blank behind the colon'],
  ['true', `expected settings such as "port: 2435", found true; ${INIT}`],
])('The config file %j is of another kind', async (text, message) => {
  const problem = await problemOf(loadFile(text))
  expect(problem).toContain(message)
  expect(problem).not.toContain('hunter2')
})
