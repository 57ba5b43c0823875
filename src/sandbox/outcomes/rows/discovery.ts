import { SAID } from '../families.ts'
import type { OutcomeRow } from '../outcome-row.ts'
import {
  bodyOf,
  changedReply,
  membersRows,
  NO_DOCUMENT,
  replyInstead,
  withJson,
  withMembers,
} from '../reply-changes.ts'

const REQUIRED =
  'issuer, authorization_endpoint and jwks_uri are there: without them refuse, or keep the last good document.'
const KEPT = { correctClient: 'depends' } as const
const LACKS = {
  ...KEPT,
  severity: 4.3,
  cwe: [754],
  refs: ['OpenID Connect Discovery 1.0 section 3'],
  harm: NO_DOCUMENT,
} as const
const SAME_ORIGIN = 'Endpoints stand on the host of the issuer: the service has no others.'
const changed = changedReply('discovery')
const instead = replyInstead('discovery')
const issuerRow = membersRows(
  changed,
  'discovery',
  'issuer equals the address that the document was asked for under (OpenID Connect Discovery 1.0 section 4.3).',
)
const requiredRow = membersRows(changed, 'discovery', REQUIRED)

/** Replies of E6, the discovery documents. */
export const DISCOVERY: readonly OutcomeRow[] = [
  instead('404', {
    family: 'failure',
    ...KEPT,
    harm: LACKS.harm,
    breaks: ['status', 'issuer', 'jwks_uri', 'authorization_endpoint'],
    summary: '404: there is no discovery document.',
    rule: REQUIRED,
    apply: (reply) => ({ ...withJson(reply, { error: 'not_found' }), status: 404 }),
  }),
  issuerRow('issuer_other', 'The issuer is another server.', { issuer: 'https://issuer.example' }),
  issuerRow('issuer_trailing_slash', 'The issuer ends with a slash.', (reply) => ({
    issuer: `${String(bodyOf(reply)['issuer'])}/`,
  })),
  issuerRow('issuer_missing', 'There is no issuer.', { issuer: undefined }),
  requiredRow('jwks_uri_missing', 'There is no jwks_uri.', { jwks_uri: undefined }, { ...LACKS, breaks: ['jwks_uri'] }),
  changed('jwks_uri_on_other_host', {
    family: 'discovery',
    // OpenID Connect lets a document name any address: only the specification of the service speaks against this one.
    level: 'may',
    refs: [SAID.keySet],
    cwe: [346, 918],
    breaks: ['jwks_uri'],
    summary: 'The key set is said to be on another host: at a trap of the sandbox, under another name of its host.',
    rule: SAME_ORIGIN,
    apply: (reply, { createTrap }) => withMembers(reply, { jwks_uri: underOtherName(createTrap()) }),
  }),
  requiredRow(
    'authorization_endpoint_missing',
    'There is no authorization_endpoint.',
    {
      authorization_endpoint: undefined,
    },
    { ...LACKS, breaks: ['authorization_endpoint'] },
  ),
  changed('alg_none_listed', {
    family: 'control',
    refs: ['OpenID Connect Discovery 1.0 section 3'],
    level: 'may',
    summary: 'The algorithms of the id_token include none.',
    rule: 'Take the document, and never the algorithm none: pin the one that was agreed on.',
    apply: (reply) => withMembers(reply, { id_token_signing_alg_values_supported: ['none', 'RS256', 'ES256'] }),
  }),
  changed('extra_member', {
    family: 'control',
    refs: ['OpenID Connect Discovery 1.0 section 3'],
    summary: 'A member that the client does not know is there.',
    rule: 'More members than the client knows may come (OpenID Connect Discovery 1.0 section 3): ignore them.',
    apply: (reply) => withMembers(reply, { sandbox_extra: 'ignore what you do not know' }),
  }),
]

/** Names of this machine. Any other host has a second name, which ends with the dot of the root. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  '127.0.0.1': 'localhost',
  '[::1]': 'localhost',
}

/** Decision: the same address under another name of its host, so that a fetch arrives and is recorded. */
function underOtherName(address: string): string {
  const url = new URL(address)
  url.hostname = OTHER_NAMES[url.hostname] ?? `${url.hostname}.`
  return url.href
}
