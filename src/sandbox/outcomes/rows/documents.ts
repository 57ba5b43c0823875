import { replyOf } from '../../../service/oidc/endpoints.ts'
import { foreignKey } from '../../keys/signing-keys.ts'
import { bodyOf, keysOfReply, withJson, withMembers } from '../answer-changes.ts'
import { SAID } from '../families.ts'
import type { ServerReply } from '../outcome.ts'
import {
  changedReply,
  membersRows,
  NO_DOCUMENT,
  type OutcomeRow,
  replyInstead,
  rowsUnder,
} from '../outcome-row.ts'
import type { TamperTools } from '../tamper-tools.ts'

const KEPT = { correctClient: 'depends' } as const

/** Makes the row of a missing document. */
const absentRow = (flow: 'discovery' | 'jwks', what: string, rule: string) =>
  replyInstead(flow)('404', 'failure', {
    ...KEPT,
    harm: NO_DOCUMENT,
    breaks: ['status', ...replyOf(flow).members],
    summary: `404: there is no ${what}.`,
    rule,
    apply: (reply) => ({ ...withJson(reply, { error: 'not_found' }), status: 404 }),
  })

const REQUIRED =
  'issuer, authorization_endpoint and jwks_uri are there: without them refuse, or keep the last good document.'
const OF_MEMBERS = ['OpenID Connect Discovery 1.0 section 3']
const changedDiscovery = changedReply('discovery')
const issuerRow = membersRows(
  'discovery',
  'discovery',
  'issuer equals the address that the document was asked for under (OpenID Connect Discovery 1.0 section 4.3).',
)
const requiredRow = (name: 'jwks_uri' | 'authorization_endpoint') =>
  membersRows('discovery', 'discovery', REQUIRED)(
    `${name}_missing`,
    `There is no ${name}.`,
    { [name]: undefined },
    { ...KEPT, severity: 4.3, cwe: [754], refs: OF_MEMBERS, harm: NO_DOCUMENT, breaks: [name] },
  )

/** Replies of E6, the discovery documents. */
export const DISCOVERY: readonly OutcomeRow[] = [
  absentRow('discovery', 'discovery document', REQUIRED),
  issuerRow('issuer_other', 'The issuer is another server.', { issuer: 'https://issuer.example' }),
  issuerRow('issuer_trailing_slash', 'The issuer ends with a slash.', (reply) => ({
    issuer: `${String(bodyOf(reply)['issuer'])}/`,
  })),
  issuerRow('issuer_missing', 'There is no issuer.', { issuer: undefined }),
  requiredRow('jwks_uri'),
  changedDiscovery('jwks_uri_on_other_host', 'discovery', {
    // OpenID Connect allows any address here; only the specification of the service excludes
    // another host.
    level: 'may',
    refs: [SAID.keySet],
    cwe: [346, 918],
    breaks: ['jwks_uri'],
    summary:
      'The key set is said to be on another host: at a trap of the sandbox, under another name of its host.',
    rule: 'Endpoints stand on the host of the issuer: the service has no others.',
    apply: (reply, { createTrap }) =>
      withMembers(reply, { jwks_uri: underOtherName(createTrap()) }),
  }),
  requiredRow('authorization_endpoint'),
  changedDiscovery('alg_none_listed', 'control', {
    refs: OF_MEMBERS,
    level: 'may',
    summary: 'The algorithms of the id_token include none.',
    rule: 'Take the document, and never the algorithm none: pin the one that was agreed on.',
    apply: (reply) =>
      withMembers(reply, { id_token_signing_alg_values_supported: ['none', 'RS256', 'ES256'] }),
  }),
  changedDiscovery('extra_member', 'control', {
    refs: OF_MEMBERS,
    summary: 'A member that the client does not know is there.',
    rule: 'More members than the client knows may come (OpenID Connect Discovery 1.0 section 3): ignore them.',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
]

/**
 * Other names of the loopback host. Any other host has a second name that ends with the dot of the
 * DNS root.
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  '127.0.0.1': 'localhost',
  '[::1]': 'localhost',
}

/**
 * Decision: the URL uses another name of the same host, so that a fetch reaches the sandbox and is
 * recorded.
 */
function underOtherName(address: string): string {
  const url = new URL(address)
  url.hostname = OTHER_NAMES[url.hostname] ?? `${url.hostname}.`
  return url.href
}

const KEEP =
  'Without the key no token can be verified: refuse, or go on with a key set that was fetched before.'
const changedKeys = changedReply('jwks')
const keepRow = rowsUnder(changedKeys, 'key_set', KEEP)

/**
 * Replies of E6, the key set. The audit judges how the app treats an id_token that is verified with
 * this key set.
 */
export const JWKS: readonly OutcomeRow[] = [
  absentRow('jwks', 'key set', KEEP),
  keepRow('no_keys', 'The key set is empty.', (reply) => withMembers(reply, { keys: [] }), KEPT),
  keepRow(
    'keys_missing',
    'The document has no member keys.',
    (reply) => withMembers(reply, { keys: undefined }),
    KEPT,
  ),
  keepRow(
    'without_signing_key',
    'The key that signs is not in the key set.',
    (reply, tools) => changeSigningKeys(reply, tools, () => []),
    { ...KEPT, breaks: ['kid', 'signature'] },
  ),
  changedKeys('foreign_key_same_kid', 'key_set', {
    breaks: ['signature'],
    summary: 'Another key stands under the kid of the one that signs.',
    rule: 'A signature that does not verify is refused, and no other key is tried instead.',
    apply: (reply, tools) =>
      changeSigningKeys(reply, tools, ({ kid }, foreign) => [{ ...foreign, kid }]),
  }),
  changedKeys('kid_twice', 'key_set', {
    ...KEPT,
    breaks: [],
    severity: 4.3,
    refs: ['RFC 7517 section 4.5'],
    harm: 'A user with a right answer is turned away.',
    summary: 'Two keys have the kid of the one that signs, and the first is a foreign one.',
    rule: 'A kid should be unique (RFC 7517 section 4.5): refuse the key set, or try each key of this kid.',
    apply: (reply, tools) =>
      changeSigningKeys(reply, tools, (key, foreign) => [{ ...foreign, kid: key['kid'] }, key]),
  }),
  changedKeys('kid_missing', 'key_set', {
    ...KEPT,
    breaks: ['kid'],
    refs: ['OpenID Connect Core 1.0 section 10.1', 'RFC 7517 section 4.5'],
    summary: 'The keys have no kid.',
    rule: 'Refuse, or try the keys of the agreed algorithm: only those, and not many.',
    apply: (reply) =>
      withMembers(reply, { keys: keysOfReply(reply).map(({ kid: _kid, ...key }) => key) }),
  }),
  changedKeys('alg_missing', 'control', {
    refs: ['RFC 7517 section 4.2', 'RFC 7517 section 4.4'],
    summary: 'The keys have neither alg nor use.',
    rule: 'alg and use are optional (RFC 7517 sections 4.2 and 4.4).',
    apply: (reply) =>
      withMembers(reply, {
        keys: keysOfReply(reply).map(({ alg: _alg, use: _use, ...key }) => key),
      }),
  }),
  changedKeys('unknown_key_type', 'control', {
    refs: ['RFC 7517 section 5'],
    summary: 'The first key is of an unknown type.',
    rule: 'Ignore keys and members that are not understood (RFC 7517 section 5).',
    apply: (reply) =>
      withMembers(reply, {
        keys: [{ kty: 'SANDBOX', kid: 'sandbox-unknown' }, ...keysOfReply(reply)],
      }),
  }),
  changedKeys('extra_key', 'control', {
    refs: ['OpenID Connect Core 1.0 section 10.1', 'RFC 7515 section 4.1.4'],
    summary: 'The first key is another one, as before a rotation.',
    rule: 'Select the key by its kid, never by its place.',
    async apply(reply, { signingAlgs }) {
      const foreign = await Promise.all(signingAlgs.map(foreignKey))
      return withMembers(reply, {
        keys: [...foreign.map(({ publicJwk }) => publicJwk), ...keysOfReply(reply)],
      })
    },
  }),
]

type Jwk = Readonly<Record<string, unknown>>

/**
 * Replaces the signing keys in the key set.
 * @param change returns the replacement of a key, made of the key and of a foreign key for the same
 * algorithm
 */
async function changeSigningKeys(
  reply: ServerReply,
  { keys, signingAlgs }: TamperTools,
  change: (key: Jwk, foreign: Jwk) => readonly Jwk[],
): Promise<ServerReply> {
  let changed = keysOfReply(reply)
  for (const alg of signingAlgs) {
    const [{ kid }, { publicJwk }] = await Promise.all([keys.keyFor(alg), foreignKey(alg)])
    changed = changed.flatMap((key) => (key['kid'] === kid ? change(key, { ...publicJwk }) : [key]))
  }
  return withMembers(reply, { keys: changed })
}
