import { clientSchema } from '../../../sandbox/clients/client-schema.ts'
import { isJsonObject, type JsonObject } from '../../../service/age/json-object.ts'
import { snakeCase } from '../../../service/text/camel-case.ts'
import { found } from '../../../service/text/message-parts.ts'
import type { SchemaProblem } from '../../../service/text/schema-problems.ts'
import { SETTING_ROWS } from '../settings.ts'

/** Says where clients belong. */
const BELOW_CLIENTS =
  'write clients as a list below "clients:"; each client begins with "- client_id: ..." and has client_secret and redirect_uris'

/**
 * Detects a config file with the shape of something else: a list, a client, the config of another
 * server, a persona. Empty for a mapping of settings. The messages repeat no value, because a list
 * of clients holds secrets.
 */
export function findForeignShape(settings: unknown): readonly SchemaProblem[] {
  if (Array.isArray(settings)) return [{ path: [], message: aboutList(settings) }]
  if (!isJsonObject(settings)) return [{ path: [], message: aboutScalar(settings) }]
  const keys = Object.keys(settings)
  const [ofClient] = keys.filter((key) => OF_CLIENTS_ONLY.includes(spellingOf(key)))
  if (ofClient !== undefined)
    return [{ path: [ofClient], message: `belongs to a client; ${BELOW_CLIENTS}${respelt(keys)}` }]
  const ofOthers = keys.flatMap((key) => {
    const meaning = MEANINGS.get(spellingOf(key))
    return meaning === undefined || SETTING_NAMES.includes(key)
      ? []
      : [{ path: [key], message: meaning }]
  })
  if (ofOthers.length > 0) return ofOthers
  return [...nestedSettings(settings), ...mappedClients(settings)]
}

const SETTING_NAMES = SETTING_ROWS.map(([name]) => snakeCase(name))

/** Normalizes a name, so that `ClientId`, `clientId`, `client-id` and `client_id` are equal. */
const spellingOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]/g, '')

/** Members of a client that are not settings, in this sandbox and in other servers. */
const OF_CLIENTS_ONLY = [
  'clientid',
  'clientsecret',
  'clientsecrets',
  'clientname',
  'granttypes',
  'responsetypes',
]

const OF_CLIENTS = [...Object.keys(clientSchema.shape).map(spellingOf), ...OF_CLIENTS_ONLY]

function aboutList(list: readonly unknown[]): string {
  const keys = list.filter(isJsonObject).flatMap((item) => Object.keys(item))
  if (keys.some((key) => spellingOf(key) === 'agekey'))
    return `expected settings, found personas; ${PERSONAS}`
  const expected = `expected settings such as "port: 2435", ${found(list)}`
  return keys.some((key) => OF_CLIENTS.includes(spellingOf(key))) || keys.length === 0
    ? `${expected}; ${BELOW_CLIENTS}${respelt(keys)}`
    : `${expected}; ${INIT}`
}

/** A hint for the first member of a client in another spelling: `; write ClientId as client_id`. */
function respelt(keys: readonly string[]): string {
  const hints = keys.flatMap((key) => {
    const name = Object.keys(clientSchema.shape).find(
      (known) => spellingOf(known) === spellingOf(key),
    )
    return name === undefined || name === key ? [] : [`; write ${key} as ${name}`]
  })
  return hints[0] ?? ''
}

function aboutScalar(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  const expected = `expected settings such as "port: 2435", ${text === '' ? found(value) : 'found a text'}`
  if (/^\w+\s*=/.test(text))
    return `${expected}; write a colon and a blank instead of the equals sign`
  if (/^\w+:\S/.test(text)) return `${expected}; write a blank behind the colon`
  return `${expected}; ${INIT}`
}

const INIT = '"agekey-sandbox init" writes a file that explains every setting'
const PERSONAS = 'name the file of a persona under "personas:"'

/** The meaning of top-level keys in files of other programs, by normalized name. */
const MEANINGS = new Map(
  Object.entries({
    agekey: `belongs to a persona; ${PERSONAS}`,
    signals: `belongs to a persona; ${PERSONAS}`,
    steps: 'belongs to a scenario; play it with "agekey-sandbox run FILE"',
    issuer: 'is no setting: the issuer follows from base_url',
    users: `is no setting: test users are personas; ${PERSONAS}`,
    staticclients: `is a setting of dex; ${BELOW_CLIENTS}`,
    realm: `is a setting of Keycloak; ${INIT}`,
    connectors: `is a setting of dex; ${INIT}`,
    httpserver: `is a setting of mock-oauth2-server; ${INIT}`,
    interactivelogin: `is a setting of mock-oauth2-server; ${INIT}`,
    loginpagepath: `is a setting of mock-oauth2-server; ${INIT}`,
    tokencallbacks: `is a setting of mock-oauth2-server; here an outcome or a persona decides what a token says; ${INIT}`,
    apiresources: `is a setting of oidc-server-mock; ${INIT}`,
    identityresources: `is a setting of oidc-server-mock; ${INIT}`,
    services: `belongs to a file of Docker Compose; ${INIT}`,
  }),
)

/** Detects settings that are nested below another key: `agekey_sandbox: { port: 2435 }`. */
function nestedSettings(settings: JsonObject): SchemaProblem[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (SETTING_NAMES.includes(key) || !isJsonObject(value)) return []
    const inside = Object.keys(value)
    if (inside.length === 0 || !inside.every((name) => SETTING_NAMES.includes(name))) return []
    return [
      {
        path: [key],
        message: `settings stand at the top of the file: leave out "${key}:", and indent nothing`,
      },
    ]
  })
}

/** Detects clients that are a mapping by id: `clients: { web-shop: { ... } }`. */
function mappedClients({ clients }: JsonObject): SchemaProblem[] {
  if (!isJsonObject(clients) || Object.keys(clients).length === 0) return []
  return [
    {
      path: ['clients'],
      message: 'expected a list, found a mapping; begin each client with "- client_id: ..."',
    },
  ]
}
