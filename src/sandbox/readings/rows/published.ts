import {
  bodyOf,
  keysOfReply,
  signAgain,
  withAnother,
  withJson,
  withMembers,
} from '../../outcomes/answer-changes.ts'
import type { ServerReply } from '../../outcomes/outcome.ts'
import type { TamperTools } from '../../outcomes/tamper-tools.ts'
import { inCallbacks, inReplies, inTokens, type ReadingRow } from '../reading.ts'

const CONTENTS = {
  section: 'E6. Discovery and keys',
  quote: 'Contents of the discovery documents and of the key set: not shown.',
}

/** Readings of the published documents, of names, and of additional members. */
export const PUBLISHED: readonly ReadingRow[] = [
  {
    name: 'discovery',
    point: 'Members of the discovery documents',
    ...CONTENTS,
    source: 'OpenID Connect Discovery 1.0 section 3',
    variants: {
      full: 'The documents list all that the service supports.',
      minimal: {
        summary:
          'The documents have the required members, that of Create the endpoint of E2, and members whose absence would state another value by default.',
        changes: [inReplies('discovery', withRequiredMembers)],
      },
    },
    excludes: { minimal: ['unknown_members=everywhere', 'callback_iss=present'] },
  },
  {
    name: 'key_set',
    point: 'Number of keys in the key set',
    ...CONTENTS,
    source: 'RFC 7517 section 5',
    variants: {
      two: 'A key for RS256 and one for ES256.',
      one: {
        summary: 'Only the key that signs.',
        changes: [
          inReplies('jwks', withSigningKeys),
          inReplies('discovery', withSigningAlgorithms),
        ],
      },
      three: {
        summary: 'Another key stands before these two, as before a rotation.',
        source: 'OpenID Connect Core 1.0 section 10.1.1',
        changes: ['jwks/jwks.extra_key'],
      },
    },
    excludes: { one: ['unknown_members=everywhere'], three: ['unknown_members=everywhere'] },
  },
  {
    name: 'kid',
    point: 'Names of keys',
    ...CONTENTS,
    source: 'RFC 7517 section 4.5',
    variants: {
      present: 'Each key has a kid, and each id_token names one.',
      absent: {
        summary:
          'The key set has only the key that signs, without a kid, and no id_token names one.',
        source: 'OpenID Connect Core 1.0 section 10.1',
        changes: [
          inReplies('jwks', (reply, tools) => {
            const keys = keysOfReply(withSigningKeys(reply, tools)).map(
              ({ kid: _kid, ...key }) => key,
            )
            return withMembers(reply, { keys })
          }),
          inReplies('discovery', withSigningAlgorithms),
          inTokens((idToken, tools) => signAgain(idToken, tools, { header: { kid: undefined } })),
        ],
      },
    },
    excludes: { absent: ['key_set=three', 'unknown_members=everywhere'] },
  },
  {
    name: 'key_members',
    point: 'Members of a published key',
    ...CONTENTS,
    source: 'RFC 7517 section 4',
    variants: {
      full: 'Each key has kid, alg and use.',
      minimal: {
        summary: 'Each key has a kid, but neither alg nor use.',
        changes: ['jwks/jwks.alg_missing'],
      },
    },
  },
  {
    name: 'brand_word',
    point: 'Brand word',
    section: 'Age Assurance Service: Interface Specification',
    quote: 'The brand word in a few identifiers is replaced by the neutral word svc',
    open: 'not what the word is',
    decides: 'brand',
    source: 'RFC 6749 section 3.3',
    variants: {
      svc: 'Upgrade scope, upgrade path and request_uri have the word svc, in both profiles.',
      agekey: 'Upgrade scope, upgrade path and request_uri have the word agekey, in both profiles.',
    },
    shownBy: ['use/code_issued', 'create/created'],
  },
  {
    name: 'unknown_members',
    point: 'Members, claims and parameters that are not defined',
    section: 'Versioning',
    quote: 'Deprecation policy and version negotiation: not shown.',
    source: 'RFC 6749 section 5.1',
    variants: {
      absent: 'Only what is defined is sent.',
      everywhere: {
        summary:
          'Unknown members are in the replies of E2 and E4 (there a refresh_token too) and in discovery, a key of an unknown type in the key set, unknown claims and header members in id_tokens, and an unknown parameter in callbacks.',
        changes: [
          'use/id_token.extra_claim',
          'use/id_token.header_extra_member',
          'par/par.extra_member',
          'token/token.extra_members',
          'discovery/discovery.extra_member',
          'jwks/jwks.unknown_key_type',
          ...inCallbacks((callback) =>
            withAnother(callback, 'sandbox_extra', 'ignore what you do not know'),
          ),
        ],
      },
    },
    shownBy: [
      'use/verified',
      'use/access_denied',
      'use/code_issued',
      'create/created',
      'create/access_denied',
    ],
  },
]

/**
 * Required by OpenID Connect Discovery 1.0 section 3; RFC 9126 section 5 defines the endpoint of
 * E2.
 */
const REQUIRED_MEMBERS: readonly string[] = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'pushed_authorization_request_endpoint',
  'jwks_uri',
  'response_types_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
]

/** The meaning of an absent member (OpenID Connect Discovery 1.0 section 3, RFC 9126 section 5). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  response_modes_supported: ['query', 'fragment'],
  grant_types_supported: ['authorization_code', 'implicit'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
  request_parameter_supported: false,
  request_uri_parameter_supported: true,
  require_pushed_authorization_requests: false,
}

function withRequiredMembers(reply: ServerReply): ServerReply {
  const members = Object.entries(bodyOf(reply)).filter(
    ([name, value]) =>
      REQUIRED_MEMBERS.includes(name) || (name in DEFAULTS && !isSameSet(value, DEFAULTS[name])),
  )
  return withJson(reply, Object.fromEntries(members))
}

const isSameSet = (...values: readonly [unknown, unknown]) =>
  new Set(values.map((value) => [value].flat().sort().join())).size === 1

/** Keeps the keys of all algorithms that sign for at least one client. */
function withSigningKeys(reply: ServerReply, { signingAlgs }: TamperTools): ServerReply {
  return withMembers(reply, {
    keys: keysOfReply(reply).filter(({ alg }) => signingAlgs.some((one) => one === alg)),
  })
}

/** OpenID Connect Discovery 1.0 section 3: RS256 must be listed. */
function withSigningAlgorithms(reply: ServerReply, { signingAlgs }: TamperTools): ServerReply {
  return withMembers(reply, {
    id_token_signing_alg_values_supported: [...new Set([...signingAlgs, 'RS256'])],
  })
}
