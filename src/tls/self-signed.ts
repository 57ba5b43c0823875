import { isIP } from 'node:net'
import { generate } from 'selfsigned'
import { bareHost } from './certificate.ts'

/** Browsers refuse a certificate that is valid for more than 398 days. */
const VALID_DAYS = 365
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Makes a key and a self-signed certificate for these hosts, valid for a year from `now` (epoch milliseconds).
 * It is no certificate authority: a client that trusts it trusts this one server and no other.
 */
export async function generateCertificate(
  names: readonly string[],
  now: number,
): Promise<{ readonly cert: string; readonly key: string }> {
  const altNames = [...new Set(names.map(bareHost))].map((name) =>
    isIP(name) === 0 ? { type: 2 as const, value: name } : { type: 7 as const, ip: name },
  )
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'agekey-sandbox testing only' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A day back: the clock of a container or of a phone may be behind.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { cert, key }
}
