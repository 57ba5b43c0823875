/** RFC 5915: version 1, then the private number as 32 bytes. */
const BEFORE_NUMBER = Buffer.from('0201010420', 'hex')

/** The PEM text of a P-256 key with another private number and the same public half. */
export function damagedKey(pem: string): string {
  const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64')
  const place = der.indexOf(BEFORE_NUMBER) + BEFORE_NUMBER.length
  der.writeUInt8(der.readUInt8(place + 9) ^ 1, place + 9)
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}
