import { delimiter } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import {
  basePathProblem,
  baseUrlProblem,
  internalUrlProblem,
  normalizeBaseUrl,
  proxyProblem,
} from '../../sandbox/addresses/addresses.ts'
import { clientSchema, clientSettingsOf } from '../../sandbox/clients/client-schema.ts'
import { parseReadingTexts, readingsSchema } from '../../sandbox/readings/readings.ts'
import {
  DEFAULT_SLOW_REPLY_SECONDS,
  MAX_SLOW_REPLY_SECONDS,
} from '../../sandbox/tenants/shared-parts.ts'
import { METHOD_NAMES } from '../../service/age/methods.ts'
import { ASSURANCE_LEVELS, PROVENANCE_PATH } from '../../service/age/vocabulary.ts'
import { SIGNING_ALGORITHMS } from '../../service/oidc/ports.ts'
import { PROFILES } from '../../service/oidc/rules/profile.ts'
import { camelCased, snakeCase } from '../../service/text/camel-case.ts'
import { storeAddressProblem } from '../store/redis/redis-address.ts'
import { parseClients } from './clients-json.ts'
import {
  isNot,
  listOrOne,
  nonEmpty,
  parseBoolean,
  parseCommas,
  parseNumber,
  type Setting,
  textWithout,
  trueOrFalse,
  wholeNumber,
} from './setting.ts'

/** How the command line reports: for people, for programs, or not at all. */
const LOG_MODES = ['pretty', 'json', 'silent'] as const
export type LogMode = (typeof LOG_MODES)[number]

/** The value of `stateDir` for no folder: keys and certificate stay in memory. */
export const NO_STATE = 'none'

const seconds = wholeNumber('a whole number of seconds from 1 up', {
  from: 1,
  to: Number.MAX_SAFE_INTEGER,
})
const provenance = z
  .string()
  .regex(PROVENANCE_PATH, { error: isNot('a path like /provider or /provider/sub_provider') })

/** The first and last characters are not blanks, because HTTP trims header values. */
const controlToken = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, {
  error: 'expected one or more printable ASCII characters, the first and the last of them no blank',
})

/**
 * All settings, by their names in the library (`baseUrl`). This table generates the flags
 * (`--base-url`), the environment variables (`AGEKEY_SANDBOX_BASE_URL`), the config file
 * (`base_url`) with its JSON Schema, the options of `createSandbox`, the starter file and the table
 * in docs/configuration.md.
 */
export const SETTINGS = {
  // Where it listens, and how it is reached.
  port: {
    takenUp: 'restart',
    schema: wholeNumber('a port (0 to 65535)', { from: 0, to: 65_535 }),
    flag: { short: '-p', argument: '<number>', parse: parseNumber, shown: 'daily' },
    help: 'port to listen on; 0 takes a free one (default: 2435)',
    option: 'Port to listen on; 0 (the default) takes a free one',
    about:
      'Where it listens. Port 0 takes a free one; a host other than 127.0.0.1 opens it to the network.',
    example: '2435',
  },
  host: {
    takenUp: 'restart',
    schema: nonEmpty,
    flag: { argument: '<address>', shown: 'daily' },
    help: 'address to listen on (default: 127.0.0.1, only this machine)',
    example: '127.0.0.1',
    isAddress: true,
  },
  baseUrl: {
    takenUp: 'restart',
    schema: textWithout(baseUrlProblem).transform(normalizeBaseUrl),
    flag: { argument: '<url>', shown: 'daily' },
    help: 'one address for all callers (default: the address of each caller on this machine)',
    about:
      'One address under which all callers reach it, through a proxy or a tunnel. Without it each caller on this machine is answered under its own address and port.',
    example: 'http://localhost:2435',
    isAddress: true,
  },
  basePath: {
    takenUp: 'restart',
    schema: textWithout(basePathProblem),
    flag: { argument: '<path>', shown: 'none' },
    help: 'path of the base URL, when the rest of it is the default: /agekey',
    about: 'Or only its path.',
    example: '/agekey',
    isAddress: true,
  },
  internalUrl: {
    takenUp: 'restart',
    schema: textWithout(internalUrlProblem).transform(normalizeBaseUrl),
    flag: { argument: '<url>' },
    help: 'address by which servers reach it, when browsers use another one',
    about: `The address by which the servers of your app reach it, when that is another one, such as the name of a container. Discovery
names it to callers that use it; the issuer stays. trust_host: true does the same for every name that a server calls by.`,
    example: 'http://agekey-sandbox:2435',
    isAddress: true,
  },
  trustHost: {
    takenUp: 'restart',
    usual: false,
    schema: trueOrFalse,
    flag: { parse: parseBoolean, shown: 'none' },
    help: 'callers may come by any name; with base_url only servers may',
    example: 'false',
  },
  trustProxy: {
    takenUp: 'restart',
    usual: [],
    schema: listOrOne(textWithout(proxyProblem)),
    flag: { argument: '<address...>', parse: parseCommas },
    help: 'proxies whose X-Forwarded- headers count: addresses or CIDR ranges',
    about:
      'Proxies whose X-Forwarded-For, -Proto and -Host headers count: addresses, CIDR ranges, or loopback, linklocal, uniquelocal.',
    example: '[10.0.0.0/8]',
    isAddress: true,
  },
  https: {
    takenUp: 'restart',
    usual: false,
    schema: trueOrFalse,
    flag: { parse: parseBoolean },
    help: 'serves https, with a self-signed certificate that it keeps and whose file it prints',
    option:
      'Serves https, with a self-signed certificate unless `httpsCert` and `httpsKey` name PEM files',
    about:
      'Serves https: with a self-signed certificate that is kept in the state folder, or with your own.',
    example: 'false',
  },
  httpsCert: {
    takenUp: 'restart',
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>' },
    help: 'PEM file of your own certificate, with --https-key',
    example: './certificate.pem',
  },
  httpsKey: {
    takenUp: 'restart',
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>' },
    help: 'PEM file of its private key',
    example: './key.pem',
  },
  // What the service accepts and answers.
  profile: {
    takenUp: 'live',
    schema: z.enum(PROFILES),
    flag: { argument: '<name>', shown: 'daily' },
    help: 'spec or agekey (default: spec)',
    option:
      '`spec` (the default): the specification to the letter. `agekey`: the names and tolerances of the live service',
    about:
      "spec: the specification to the letter. agekey: the live service's brand word, and what its published clients need.",
    example: 'spec',
    isSet: true,
  },
  signingAlg: {
    takenUp: 'restart',
    usual: 'RS256',
    schema: z.enum(SIGNING_ALGORITHMS),
    flag: { argument: '<alg>' },
    help: 'signs id_tokens: RS256 or ES256 (default: RS256); a client may have a signing_alg of its own',
    about:
      'RS256, as the sample of the service, or ES256, the only one that some published clients of it accept. A client may have its own.',
    example: 'RS256',
  },
  clients: {
    takenUp: 'live',
    schema: z.array(clientSchema.transform(clientSettingsOf)),
    flag: { argument: '<json>', parse: parseClients, shown: 'none' },
    help: 'your apps, beside the built-in client; the variable takes the list as JSON',
    about:
      'Your apps, beside the built-in client ak_test_sandbox (which may redirect to any address on this machine).',
    example: `
  - client_id: web-shop
    client_secret: not-a-real-secret
    name: Web shop
    # logo: ./logo.svg
    redirect_uris:                      # compared by exact match
      - http://localhost:3000/callback
    # persona: adult-passport           # no choice page for this client
    # signing_alg: ES256                # for this client only`,
    isSet: true,
  },
  builtinClient: {
    takenUp: 'live',
    schema: z.boolean(),
    help: 'false removes the client ak_test_sandbox',
    example: 'false',
  },
  redirectUris: {
    takenUp: 'live',
    schema: clientSchema.shape.redirect_uris,
    flag: {
      name: 'redirect-uri',
      variable: 'REDIRECT_URIS',
      argument: '<url...>',
      // A URL contains no white space, so a variable may hold one URL on each line.
      separator: /[\s,]+/,
    },
    help: 'redirect URIs of the built-in client, beside those on this machine; compared by exact match',
    about: 'Redirect URIs of the built-in client, beside those on this machine.',
    example: '[https://preview.example/callback]',
    isAddress: true,
  },
  provenanceAllowlist: {
    takenUp: 'live',
    schema: z.array(provenance),
    help: 'provenance paths that a submitted age signal may name; replaces the built-in list',
    about: 'Provenance paths that a submitted age signal may name; replaces the built-in list.',
    example: '[/veratad/roc, /yoti]',
  },
  platforms: {
    takenUp: 'live',
    schema: z.array(nonEmpty),
    help: 'values of the attribute platform; replaces the built-in list',
    about: 'Values of the attribute "platform"; replaces the built-in list.',
    example: '[apple_wallet, google_wallet]',
  },
  certifications: {
    takenUp: 'live',
    schema: z.record(provenance, z.partialRecord(z.enum(METHOD_NAMES), z.enum(ASSURANCE_LEVELS))),
    help: 'ISO 27566-1 levels of submitted age signals, by provenance and method',
    about:
      'ISO 27566-1 levels of submitted age signals, by provenance and method; without one a signal is uncertified.',
    example: '\n  /veratad/roc: { id_doc_scan: effective }',
  },
  lifetimes: {
    takenUp: 'live',
    schema: z
      .strictObject({
        request_uri: seconds,
        code: seconds,
        id_token: seconds,
        access_token: seconds,
      })
      .partial()
      .transform(camelCased),
    help: 'seconds for which request_uri, code, id_token and access_token are valid',
    about: 'In seconds.',
    example: '{ request_uri: 90, code: 600, id_token: 600, access_token: 10800 }',
  },
  readings: {
    takenUp: 'live',
    schema: readingsSchema,
    flag: {
      name: 'reading',
      argument: '<name=variant...>',
      separator: ',',
      parse: parseReadingTexts,
    },
    help: 'reads a silence of the specification in another way: refused_token_status=403; "agekey-sandbox explain readings" lists all',
    about:
      'How the service reads what the specification leaves open; "agekey-sandbox explain readings" lists all. Does your app survive it?',
    example: '{ refused_token_status: 403, typ: absent }',
  },
  slowReplySeconds: {
    takenUp: 'live',
    schema: wholeNumber(`a whole number of seconds from 0 to ${MAX_SLOW_REPLY_SECONDS}`, {
      from: 0,
      to: MAX_SLOW_REPLY_SECONDS,
    }),
    flag: { argument: '<seconds>', parse: parseNumber, shown: 'none' },
    help: `delays the reply of outcomes like token.slow by so many seconds, 0 to ${MAX_SLOW_REPLY_SECONDS} (default: ${DEFAULT_SLOW_REPLY_SECONDS})`,
    about:
      'Seconds that the reply of a slow outcome (token.slow, jwks.slow ...) takes: more than your app waits.',
    example: String(DEFAULT_SLOW_REPLY_SECONDS),
  },
  // Personas, default decisions, and what is kept.
  personas: {
    takenUp: 'live',
    schema: listOrOne(nonEmpty),
    isPath: true,
    flag: { argument: '<path...>', separator: delimiter, shown: 'daily' },
    help: 'persona files or folders, beside the built-in personas',
    about: 'Your own test users: a file, a folder, or a list of them.',
    example: './personas',
  },
  persona: {
    takenUp: 'live',
    schema: nonEmpty,
    flag: { argument: '<name>', shown: 'daily' },
    help: 'decides as this persona, without a choice page',
    about:
      'Decides when nothing else does: then no choice page is shown. The commands "personas" and "outcomes" list the names.',
    example: 'adult-passport',
  },
  outcome: {
    takenUp: 'live',
    schema: nonEmpty,
    flag: { argument: '<name>', shown: 'daily' },
    help: 'ends flows this way, without a choice page',
    example: 'verified',
  },
  seed: {
    takenUp: 'restart',
    schema: wholeNumber('a whole number', {
      from: Number.MIN_SAFE_INTEGER,
      to: Number.MAX_SAFE_INTEGER,
    }),
    flag: { argument: '<number>', parse: parseNumber, shown: 'daily' },
    help: 'makes ids, codes, tokens and generated names repeatable',
    about: 'The same seed with a frozen clock gives the same ids, codes, tokens and names.',
    example: '1',
  },
  log: {
    takenUp: 'restart',
    schema: z.enum(LOG_MODES),
    flag: { argument: '<mode>', shown: 'daily' },
    help: 'pretty, json or silent (default: pretty)',
    about: 'pretty, json or silent',
    example: 'pretty',
  },
  stateDir: {
    takenUp: 'restart',
    schema: nonEmpty,
    isPath: true,
    word: NO_STATE,
    flag: { argument: '<folder>' },
    help: 'keeps keys and certificate between runs; none keeps them in memory (default: ~/.local/state/agekey-sandbox)',
    option:
      'Keeps the signing keys, and a self-signed certificate, between runs; without it they live in memory',
    about:
      'Signing keys and certificate are kept in a folder (none: in memory), or the keys are read from a file.',
    example: './.agekey-sandbox',
  },
  keys: {
    takenUp: 'restart',
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>', shown: 'none' },
    help: 'file of the signing keys; made when it is not there',
    example: './keys.json',
  },
  coverageFile: {
    takenUp: 'restart',
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>', shown: 'none' },
    help: 'writes to this file which answers, endings and outcomes the clients have seen; each run replaces it',
    about:
      'Which answers, endings and outcomes the clients have seen, for "agekey-sandbox coverage". Each run replaces the file.',
    example: './coverage.json',
  },
  store: {
    takenUp: 'restart',
    schema: textWithout(storeAddressProblem),
    flag: { argument: '<url>' },
    help: 'Redis or Valkey, shared by several replicas (default: memory of this process)',
    about:
      'Redis or Valkey, so that several replicas act as one sandbox; all of them need the same base_url.',
    example: 'redis://localhost:6379',
    isAddress: true,
  },
  memoryBudget: {
    takenUp: 'restart',
    schema: wholeNumber('a whole number of megabytes from 1 up', { from: 1, to: 1_000_000 }),
    flag: { argument: '<megabytes>', parse: parseNumber, shown: 'none' },
    help: 'keeps at most so many MB in memory, the oldest goes (default: 256)',
    about:
      'What is kept in memory, in MB. When it is full the oldest goes: unfinished requests first, what was declared never.',
    example: '256',
  },
  controlToken: {
    takenUp: 'restart',
    schema: controlToken,
    flag: { argument: '<token>' },
    help: 'the control API asks for it beyond this machine: other host or base URL than loopback, calls through a proxy',
    about: 'Beyond this machine, and through a proxy, calls of the control API need this token.',
    example: 'not-a-real-token',
  },
} satisfies Readonly<Record<string, Setting>>

type Settings = typeof SETTINGS

/** The values of settings, under their names in the library. */
export type SettingValues = {
  readonly [Name in keyof Settings]?: DeepReadonly<z.output<Settings[Name]['schema']>>
}

/**
 * The settings that are options of `createSandbox`: all except `log`, which only the command line
 * has.
 */
export type SettingOptions = Omit<SettingValues, 'log'>

type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> }

/** The settings as rows. */
export const SETTING_ROWS: readonly (readonly [name: string, setting: Setting])[] =
  Object.entries(SETTINGS)

/**
 * Compares two sets of settings, and returns the names of the settings that differ.
 * @param when the settings to compare: `live` settings take effect at once, `restart` settings after
 * a restart
 */
export function changedSettings(before: object, after: object, when: Setting['takenUp']): string[] {
  const old = new Map(Object.entries(before))
  const now = new Map(Object.entries(after))
  return SETTING_ROWS.flatMap(([name, { takenUp, usual }]) =>
    takenUp === when && !isDeepStrictEqual(old.get(name) ?? usual, now.get(name) ?? usual)
      ? [name]
      : [],
  )
}

/** The schema of the config file. Flags and environment variables use it too. */
export const configSchema = z
  .strictObject(
    Object.fromEntries(SETTING_ROWS.map(([name, { schema }]) => [snakeCase(name), schema])),
  )
  .partial()
  // Safe: the schema of each setting has checked its value, and SettingValues has the types of
  // their outputs.
  .transform((values) => camelCased(values) as SettingValues)
  .check(refuseTakenClientIds)

function refuseTakenClientIds({
  value: { clients = [] },
  issues,
}: z.core.ParsePayload<SettingValues>): void {
  const taken = new Set<string>()
  for (const [index, { clientId }] of clients.entries()) {
    if (taken.has(clientId)) {
      const message = `"${clientId}" is declared twice; give each client an id of its own`
      issues.push({
        code: 'custom',
        path: ['clients', index, 'client_id'],
        message,
        input: clientId,
      })
    }
    taken.add(clientId)
  }
}
