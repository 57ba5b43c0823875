import * as z from 'zod'
import { METHOD_NAMES } from '../../age/methods.ts'
import { ASSURANCE_LEVELS, PROVENANCE_PATH } from '../../age/vocabulary.ts'
import { camelCased } from '../../files/camel-case.ts'
import { SIGNING_ALGORITHMS } from '../../oidc/ports.ts'
import { PROFILES } from '../../oidc/rules/profile.ts'
import { clientSchema, clientSettingsOf } from '../../sandbox/clients/client-schema.ts'
import { parseReadingTexts, readingsSchema } from '../../sandbox/readings/parse-readings.ts'
import { DEFAULT_SLOW_REPLY_SECONDS, MAX_SLOW_REPLY_SECONDS } from '../../sandbox/tenants/shared-parts.ts'
import { isNot, nonEmpty, parseNumber, type Setting, wholeNumber } from './setting.ts'

const provenance = z
  .string()
  .regex(PROVENANCE_PATH, { error: isNot('a path like /provider or /provider/sub_provider') })
const seconds = wholeNumber('a whole number of seconds from 1 up', { from: 1, to: Number.MAX_SAFE_INTEGER })

/** The settings about what the service accepts and answers. */
export const SERVICE_SETTINGS = {
  profile: {
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
    schema: z.enum(SIGNING_ALGORITHMS),
    flag: { argument: '<alg>' },
    help: 'signs id_tokens: RS256 or ES256 (default: RS256); a client may have a signing_alg of its own',
    about:
      'RS256, as the sample of the service, or ES256, the only one that some published clients of it accept. A client may have its own.',
    example: 'RS256',
  },
  clients: {
    schema: z.array(clientSchema.transform(clientSettingsOf)),
    help: 'your apps, beside the built-in client',
    about: 'Your apps, beside the built-in client ak_test_sandbox (which may redirect to any address on this machine).',
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
    schema: z.boolean(),
    help: 'false removes the client ak_test_sandbox',
    example: 'false',
  },
  provenanceAllowlist: {
    schema: z.array(provenance),
    help: 'provenance paths that a submitted age signal may name; replaces the built-in list',
    about: 'Provenance paths that a submitted age signal may name; replaces the built-in list.',
    example: '[/veratad/roc, /yoti]',
  },
  platforms: {
    schema: z.array(nonEmpty),
    help: 'values of the attribute platform; replaces the built-in list',
    about: 'Values of the attribute "platform"; replaces the built-in list.',
    example: '[apple_wallet, google_wallet]',
  },
  certifications: {
    schema: z.record(provenance, z.partialRecord(z.enum(METHOD_NAMES), z.enum(ASSURANCE_LEVELS))),
    help: 'ISO 27566-1 levels of submitted age signals, by provenance and method',
    about:
      'ISO 27566-1 levels of submitted age signals, by provenance and method; without one a signal is uncertified.',
    example: '\n  /veratad/roc: { id_doc_scan: effective }',
  },
  lifetimes: {
    schema: z
      .strictObject({ request_uri: seconds, code: seconds, id_token: seconds, access_token: seconds })
      .partial()
      .transform(camelCased),
    help: 'seconds for which request_uri, code, id_token and access_token are valid',
    about: 'In seconds.',
    example: '{ request_uri: 90, code: 600, id_token: 600, access_token: 10800 }',
  },
  readings: {
    schema: readingsSchema,
    flag: { name: 'reading', argument: '<name=variant...>', separator: ',', parse: parseReadingTexts },
    help: 'reads a silence of the specification in another way: refused_token_status=403; "agekey-sandbox explain readings" lists all',
    about:
      'How the service reads what the specification leaves open; "agekey-sandbox explain readings" lists all. Does your app survive it?',
    example: '{ refused_token_status: 403, typ: absent }',
  },
  slowReplySeconds: {
    schema: wholeNumber(`a whole number of seconds from 0 to ${MAX_SLOW_REPLY_SECONDS}`, {
      from: 0,
      to: MAX_SLOW_REPLY_SECONDS,
    }),
    flag: { argument: '<seconds>', parse: parseNumber, shown: 'none' },
    help: `delays the reply of outcomes like token.slow by so many seconds, 0 to ${MAX_SLOW_REPLY_SECONDS} (default: ${DEFAULT_SLOW_REPLY_SECONDS})`,
    about: 'Seconds that the reply of a slow outcome (token.slow, jwks.slow ...) takes: more than your app waits.',
    example: String(DEFAULT_SLOW_REPLY_SECONDS),
  },
} satisfies Readonly<Record<string, Setting>>
