import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { bareHost, type ServerCertificate } from './certificate.ts'

/** Common name of subject and issuer. */
const COMMON_NAME = 'agekey-sandbox testing only'

/** Browsers refuse a certificate that is valid for more than 398 days. */
const VALID_DAYS = 365
const DAY_MS = 24 * 60 * 60 * 1000

/** Contents of the object identifiers that the certificate names. */
const OID = {
  /** 1.2.840.10045.4.3.2 */
  ecdsaWithSha256: '2a8648ce3d040302',
  /** 2.5.4.3 */
  commonName: '550403',
  /** 2.5.29.19 */
  basicConstraints: '551d13',
  /** 2.5.29.37 */
  extKeyUsage: '551d25',
  /** 1.3.6.1.5.5.7.3.1 */
  serverAuth: '2b06010505070301',
  /** 2.5.29.17 */
  subjectAltName: '551d11',
}

/** Tags of DER (X.690). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  ipAddress: 0x87,
  version: 0xa0,
  extensions: 0xa3,
}

/**
 * Makes a P-256 key and a self-signed certificate (RFC 5280) for these host names and IP addresses,
 * valid for a year from `now` (epoch milliseconds), both as PEM. The certificate is no certificate
 * authority: a client that trusts it trusts this one server and no other.
 */
export function generateCertificate(
  names: readonly string[],
  now: number,
): Pick<ServerCertificate, 'cert' | 'key'> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const name = sequence(
    der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8String, Buffer.from(COMMON_NAME)))),
  )
  const toBeSigned = sequence(
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, serialNumber()),
    algorithm,
    name,
    // From the day before: the clock of a container or of a phone may be behind.
    sequence(time(now - DAY_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, extensionsFor(names)),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, algorithm, bitString(signature))
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A positive number of 16 bytes. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  // The first bit is the sign, and DER omits leading zeros.
  bytes[0] = 0x40 | (bytes.readUInt8(0) & 0x3f)
  return bytes
}

function extensionsFor(names: readonly string[]): Buffer {
  const critical = der(TAG.boolean, Buffer.of(0xff))
  const hosts = [...new Set(names.map(bareHost))]
  const altNames = hosts.map((name) =>
    isIP(name) !== 0 ? der(TAG.ipAddress, addressBytes(name)) : der(TAG.dnsName, Buffer.from(name)),
  )
  return sequence(
    // An empty sequence: cA is false by default.
    sequence(oid(OID.basicConstraints), critical, der(TAG.octetString, sequence())),
    sequence(oid(OID.extKeyUsage), der(TAG.octetString, sequence(oid(OID.serverAuth)))),
    sequence(oid(OID.subjectAltName), der(TAG.octetString, sequence(...altNames))),
  )
}

/** The 4 bytes of an IPv4 address, the 16 bytes of an IPv6 address. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [withoutZone] = address.split('%')
  // A URL writes each IPv6 address in hexadecimal groups, with at most one `::`.
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::')
  const before = groupBytes(head)
  const after = groupBytes(tail)
  return Buffer.concat([before, Buffer.alloc(16 - before.length - after.length), after])
}

/** `2001:db8` as `20 01 0d b8`. */
function groupBytes(text: string): Buffer {
  const groups = text === '' ? [] : text.split(':')
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** A date of RFC 5280 (section 4.1.2.5): the year has two digits until 2049. */
function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '')}Z`
  return digits < '2050'
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits))
}

const sequence = (...members: readonly Buffer[]): Buffer =>
  der(TAG.sequence, Buffer.concat(members))

const oid = (content: string): Buffer => der(TAG.oid, Buffer.from(content, 'hex'))

/** A bit string begins with the number of unused bits in its last byte. */
const bitString = (content: Buffer): Buffer =>
  der(TAG.bitString, Buffer.concat([Buffer.of(0), content]))

/** A value of DER: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content])
}

/** One byte below 128; otherwise the number of bytes that follow, then these bytes. */
function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes])
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
