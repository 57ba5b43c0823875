import { foreignKey } from '../../keys/foreign-keys.ts'
import type { ServerReply } from '../outcome.ts'
import { type OutcomeRow, rowsUnder } from '../outcome-row.ts'
import {
  changedReply,
  IGNORE_KEYS,
  keysOfReply,
  NO_DOCUMENT,
  replyInstead,
  withJson,
  withMembers,
} from '../reply-changes.ts'
import type { TamperTools } from '../tamper-tools.ts'

const KEEP = 'Without the key no token can be verified: refuse, or go on with a key set that was fetched before.'
const KEPT = { correctClient: 'depends' } as const
const SIGNATURE = 'A signature that does not verify is refused, and no other key is tried instead.'
const changed = changedReply('jwks')
const instead = replyInstead('jwks')
const keepRow = rowsUnder(changed, 'key_set', KEEP)

/** Replies of E6, the key set. The audit judges an id_token that is verified with the key set. */
export const JWKS: readonly OutcomeRow[] = [
  instead('404', {
    family: 'failure',
    ...KEPT,
    harm: NO_DOCUMENT,
    breaks: ['status', 'keys'],
    summary: '404: there is no key set.',
    rule: KEEP,
    apply: (reply) => ({ ...withJson(reply, { error: 'not_found' }), status: 404 }),
  }),
  keepRow('no_keys', 'The key set is empty.', (reply) => withMembers(reply, { keys: [] }), KEPT),
  keepRow('keys_missing', 'The document has no member keys.', (reply) => withMembers(reply, { keys: undefined }), KEPT),
  keepRow(
    'without_signing_key',
    'The key that signs is not in the key set.',
    (reply, tools) => changeSigningKeys(reply, tools, () => []),
    { ...KEPT, breaks: ['kid', 'signature'] },
  ),
  changed('foreign_key_same_kid', {
    family: 'key_set',
    breaks: ['signature'],
    summary: 'Another key stands under the kid of the one that signs.',
    rule: SIGNATURE,
    apply: (reply, tools) => changeSigningKeys(reply, tools, ({ kid }, foreign) => [{ ...foreign, kid }]),
  }),
  changed('kid_twice', {
    family: 'key_set',
    breaks: [],
    correctClient: 'depends',
    severity: 4.3,
    refs: ['RFC 7517 section 4.5'],
    harm: 'A user with a right answer is turned away.',
    summary: 'Two keys have the kid of the one that signs, and the first is a foreign one.',
    rule: 'A kid should be unique (RFC 7517 section 4.5): refuse the key set, or try each key of this kid.',
    apply: (reply, tools) => changeSigningKeys(reply, tools, (key, foreign) => [{ ...foreign, kid: key['kid'] }, key]),
  }),
  changed('kid_missing', {
    family: 'key_set',
    breaks: ['kid'],
    correctClient: 'depends',
    refs: ['OpenID Connect Core 1.0 section 10.1', 'RFC 7517 section 4.5'],
    summary: 'The keys have no kid.',
    rule: 'Refuse, or try the keys of the agreed algorithm: only those, and not many.',
    apply: (reply) => withMembers(reply, { keys: keysOfReply(reply).map(({ kid: _kid, ...key }) => key) }),
  }),
  changed('alg_missing', {
    family: 'control',
    refs: ['RFC 7517 section 4.2', 'RFC 7517 section 4.4'],
    summary: 'The keys have neither alg nor use.',
    rule: 'alg and use are optional (RFC 7517 sections 4.2 and 4.4).',
    apply: (reply) => withMembers(reply, { keys: keysOfReply(reply).map(({ alg: _alg, use: _use, ...key }) => key) }),
  }),
  changed('unknown_key_type', {
    family: 'control',
    refs: ['RFC 7517 section 5'],
    summary: 'The first key is of an unknown type.',
    rule: IGNORE_KEYS,
    apply: (reply) => withMembers(reply, { keys: [{ kty: 'SANDBOX', kid: 'sandbox-unknown' }, ...keysOfReply(reply)] }),
  }),
  changed('extra_key', {
    family: 'control',
    refs: ['OpenID Connect Core 1.0 section 10.1', 'RFC 7515 section 4.1.4'],
    summary: 'The first key is another one, as before a rotation.',
    rule: 'Select the key by its kid, never by its place.',
    async apply(reply, { signingAlgs }) {
      const foreign = await Promise.all(signingAlgs.map(foreignKey))
      return withMembers(reply, { keys: [...foreign.map(({ publicJwk }) => publicJwk), ...keysOfReply(reply)] })
    },
  }),
]

type Jwk = Readonly<Record<string, unknown>>

/** The key set without the keys that sign; for each of them come keys made of it and of a foreign key of its algorithm. */
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
