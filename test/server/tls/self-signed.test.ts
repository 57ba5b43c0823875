import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { generateCertificate } from '../../../src/server/tls/self-signed.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 15, 3, 4, 5)

async function certificateFor(names: readonly string[], now = NOW): Promise<X509Certificate> {
  const { cert } = await generateCertificate(names, now)
  return new X509Certificate(cert)
}

test('A self-signed certificate is verified by its own key', async () => {
  const certificate = await certificateFor(['localhost'])
  expect(certificate.verify(certificate.publicKey)).toBe(true)
})

test('A self-signed certificate is no certificate authority', async () => {
  expect((await certificateFor(['localhost'])).ca).toBe(false)
})

test('A self-signed certificate serves TLS servers alone', async () => {
  expect((await certificateFor(['localhost'])).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
})

test.each(['127.0.0.1', '[::1]', '2001:db8::a1', '::ffff:10.0.0.1', '1:2:3:4:5:6:7:8'])(
  'A self-signed certificate is valid for the address %s',
  async (address) => {
    const bare = address.replace(/^\[|\]$/g, '')
    expect((await certificateFor([address])).checkIP(bare)).toBe(bare)
  },
)

test('A self-signed certificate names an address without its zone', async () => {
  expect((await certificateFor(['fe80::1%eth0'])).checkIP('fe80::1')).toBe('fe80::1')
})

test('A self-signed certificate for many hosts names each of them', async () => {
  const hosts = Array.from({ length: 300 }, (_, at) => `host-${at}.example`)
  const certificate = await certificateFor(hosts)
  for (const host of hosts) expect(certificate.checkHost(host)).toBe(host)
})

test('A self-signed certificate names a host that is given twice once', async () => {
  expect((await certificateFor(['::1', '[::1]'])).subjectAltName).toBe('IP Address:0:0:0:0:0:0:0:1')
})

test.each([
  ['2026', NOW],
  ['2049', Date.UTC(2049, 5, 1)],
  ['2051', Date.UTC(2051, 5, 1)],
])('A self-signed certificate of %s is valid for a year', async (_year, now) => {
  const { validFrom, validTo } = await certificateFor(['localhost'], now)
  expect(Date.parse(validFrom)).toBe(now - DAY_MS)
  expect(Date.parse(validTo)).toBe(now + 365 * DAY_MS)
})

test('Two certificates have two serial numbers', async () => {
  const first = await certificateFor(['localhost'])
  expect((await certificateFor(['localhost'])).serialNumber).not.toBe(first.serialNumber)
})
