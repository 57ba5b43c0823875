import { isIP, isIPv4 } from 'node:net'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { bareHost, type ServerCertificate } from './certificate.ts'

/** Common name of subject and issuer. */
const COMMON_NAME = 'agekey-sandbox testing only'

/** Browsers refuse a certificate that is valid for more than 398 days. */
const VALID_DAYS = 365
const DAY_MS = 24 * 60 * 60 * 1000

/** The generator is needed once a year: a start that finds a certificate does not load it. */
const loadGenerator = onDemand(() => import('selfsigned'))

/**
 * Makes a P-256 key and a self-signed certificate (RFC 5280) for these host names and IP addresses,
 * valid for a year from `now` (epoch milliseconds), both as PEM. The certificate is no certificate
 * authority: a client that trusts it trusts this one server and no other.
 */
export async function generateCertificate(
  names: readonly string[],
  now: number,
): Promise<Pick<ServerCertificate, 'cert' | 'key'>> {
  const { generate } = await loadGenerator()
  const hosts = [...new Set(names.map(bareHost))]
  const made = await generate([{ name: 'commonName', value: COMMON_NAME }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // From the day before: the clock of a container or of a phone may be behind.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: hosts.map(altNameOf) },
    ],
  })
  return { cert: endLine(made.cert), key: endLine(made.private) }
}

/** The types are those of `GeneralName` (RFC 5280 section 4.2.1.6). */
function altNameOf(host: string): { type: 2; value: string } | { type: 7; ip: string } {
  if (isIP(host) === 0) return { type: 2, value: host }
  if (isIPv4(host)) return { type: 7, ip: host }
  const [withoutZone] = host.split('%')
  // The generator takes `::ffff:10.0.0.1` for `::ffff:10`. A URL writes hexadecimal groups alone.
  const { hostname } = new URL(`http://[${withoutZone}]`)
  return { type: 7, ip: hostname.slice(1, -1) }
}

/** One line break at the end, so that two texts can stand in one file. */
const endLine = (pem: string): string => `${pem.trim()}\n`
