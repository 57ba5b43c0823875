import type { FamilyColumns } from '../outcome.ts'
import { SAID } from './citations.ts'

const COMMON = { bait: 'adult', layer: 'oidc' } as const

/** Families of mistakes in the replies to calls from server to server. */
export const REPLY_FAMILIES = {
  failure: {
    ...COMMON,
    level: 'must',
    severity: 5.3,
    cwe: [252, 754],
    refs: ['RFC 9110 section 15'],
    harm: 'A call that failed counts as done: the app says so to the user, and to its own records.',
    breaks: ['status', 'body'],
  },
  redirect: {
    ...COMMON,
    // RFC 9110 lets a client follow a redirect, and advises to leave credentials out.
    level: 'may',
    severity: 7.4,
    cwe: [522],
    refs: ['RFC 9110 section 15.4'],
    harm: 'The client_secret, a code or an access token is sent to a server that an attacker chooses.',
    breaks: ['redirect'],
  },
  connection: {
    ...COMMON,
    level: 'may',
    severity: 4.3,
    cwe: [754],
    refs: ['RFC 9110 section 9.2.2'],
    harm: 'A call without an answer counts as done, or holds a user and a connection for as long as it lasts.',
    breaks: ['connection'],
  },
  pushed_request: {
    ...COMMON,
    level: 'must',
    severity: 4.3,
    cwe: [20, 754],
    refs: [SAID.parSuccess, 'RFC 9126 section 2.2'],
    harm: 'The user is sent away with a reference that does not exist, and the age key is lost.',
    breaks: ['request_uri'],
  },
  access_token: {
    ...COMMON,
    level: 'must',
    severity: 4.3,
    cwe: [20, 754],
    refs: [SAID.accessToken, 'RFC 6749 section 5.1'],
    harm: 'The app goes on to an upgrade without a usable access token, and takes it for done.',
    breaks: ['access_token'],
  },
  upgrade: {
    ...COMMON,
    layer: 'service',
    level: 'must',
    severity: 5.3,
    cwe: [252, 754],
    refs: [SAID.upgradeSuccess],
    harm: 'The app and its records say that the age key is upgraded, and that is not known.',
    breaks: ['ok'],
  },
  discovery: {
    ...COMMON,
    level: 'must',
    severity: 7.4,
    cwe: [346],
    refs: ['OpenID Connect Discovery 1.0 section 4.3'],
    harm: 'Endpoints and keys of another server are taken for those of the service.',
    breaks: ['issuer'],
  },
  key_set: {
    ...COMMON,
    level: 'must',
    severity: 8.1,
    cwe: [347],
    refs: [SAID.signature, 'OpenID Connect Core 1.0 section 3.1.3.7 (6)'],
    harm: 'An id_token passes that no key of the service verifies.',
    breaks: ['keys'],
  },
} as const satisfies Record<string, FamilyColumns>
