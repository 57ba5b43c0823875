import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT } from 'jose'
import { signCompact } from '../../../src/sandbox/keys/compact-jws.ts'
import { generateCertificate } from '../../../src/tls/kept-certificate.ts'
import { readTestKeys } from '../../support/keys.ts'

/** How an answer is obtained and brought to the app. */
export interface Way {
  readonly use?: string
  readonly create?: string
  readonly token?: string
  readonly persona?: string
  readonly brings?: 'twice' | 'in another browser'
  /** Seconds by which the clock of the sandbox moves. */
  readonly advanced?: number
  forge?(idToken: string): Promise<string>
}

/** The wrong answer for each hole: an outcome, or a way to bring an answer. */
export const HOLES = {
  signature: { use: 'id_token.signature_bit_flipped' },
  'signature of unknown keys': { use: 'id_token.foreign_key_unknown_kid' },
  'key of x5c': { forge: signedByX5c },
  nonce: { use: 'id_token.nonce_other' },
  state: { use: 'callback.state_changed' },
  'state of any browser': { brings: 'in another browser' },
  'slot is kept': { brings: 'twice' },
  exp: { use: 'id_token.expired' },
  '55 minutes of leeway': { advanced: -40 * 60 },
  aud: { use: 'id_token.aud_of_other_client' },
  'aud of others by azp': { forge: (token) => signedAgain(token, { aud: ['ak_test_shoes'], azp: 'ak_test_sandbox' }) },
  'truthy answers': { use: 'id_token.age_thresholds.false_strings', persona: 'child-12' },
  'any threshold': { persona: 'teen-16' },
  'lower threshold': { persona: 'teen-16' },
  req_claims_hash: { use: 'id_token.req_claims_hash_weaker' },
  error: { use: 'callback.error_and_success' },
  'last of repeated parameters': { use: 'callback.id_token_twice' },
  'session before the check': { use: 'id_token.expired' },
  'session on failure': { use: 'id_token.expired' },
  'session by a later job': { use: 'id_token.expired' },
  'error of Create': { use: 'create_requested', create: 'access_denied' },
  'failed upgrade': { use: 'code_issued', token: 'token.500' },
} satisfies Readonly<Record<string, Way>>

async function signedAgain(idToken: string, changes: Readonly<Record<string, unknown>>): Promise<string> {
  const { RS256 } = await readTestKeys()
  return signCompact(
    { header: { ...decodeProtectedHeader(idToken) }, payload: Object.assign(decodeJwt(idToken), changes) },
    RS256,
  )
}

async function signedByX5c(idToken: string): Promise<string> {
  const { cert, key } = await generateCertificate(['attacker.test'], Date.now())
  const x5c = [cert.replace(/-----[^-]+-----|\s/g, '')]
  const header = { alg: 'ES256', kid: 'attacker', x5c }
  return new SignJWT(decodeJwt(idToken)).setProtectedHeader(header).sign(await importPKCS8(key, 'ES256'))
}
