import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tlsKeyFileIn } from '../../../src/server/tls/certificate.ts'
import { certificateFileIn, keepCertificate } from '../../../src/server/tls/kept-certificate.ts'
import { damagedKey } from '../../support/damaged-key.ts'
import { folderWith } from '../../support/folder-with.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 15)
const ROUNDS = 3
const LOCAL = { names: ['localhost'], now: NOW }
const EXPIRED = { names: ['localhost'], now: NOW + 400 * DAY_MS }
const OTHER_NAME = { names: ['localhost', 'age.example'], now: NOW }

/** That a pair is the one that is kept, and that its parts fit. */
function expectKept(folder: string, { cert, key }: { cert: string; key: string }): void {
  expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true)
  expect(readFileSync(certificateFileIn(folder), 'utf8')).toBe(cert)
  expect(readFileSync(tlsKeyFileIn(folder), 'utf8')).toContain(cert)
}

test.each([
  ['a day later is the same', { ...LOCAL, now: NOW + DAY_MS }, true],
  ['is the same by a clock that is behind', { ...LOCAL, now: NOW - DAY_MS / 2 }, true],
  ['for fewer names is the same', { ...LOCAL, names: [] }, true],
  ['for another name is renewed', OTHER_NAME, false],
  ['in its last week is renewed', { ...LOCAL, now: NOW + 359 * DAY_MS }, false],
  ['that has expired is renewed', EXPIRED, false],
  ['is renewed when the clock was set back far', { ...LOCAL, now: NOW - 30 * DAY_MS }, false],
  ['whose copy for apps is damaged is the same', LOCAL, true, 'tls-certificate.pem'],
  ['whose key is damaged is renewed', LOCAL, false, 'tls-key.pem'],
])('A kept certificate %s', async (_sentence, need, isKept, damaged = '') => {
  const folder = folderWith()
  const first = await keepCertificate(folder, LOCAL)
  if (damaged !== '') writeFileSync(join(folder, damaged), 'no PEM at all')
  const second = await keepCertificate(folder, need)
  expect(second.cert === first.cert).toBe(isKept)
  expectKept(folder, second)
  expect(Date.parse(new X509Certificate(second.cert).validTo)).toBeGreaterThan(need.now)
})

test('A kept certificate whose key signs what the certificate does not verify is renewed', async () => {
  const folder = folderWith()
  const { cert, key } = await keepCertificate(folder, LOCAL)
  writeFileSync(tlsKeyFileIn(folder), `${damagedKey(key)}${cert}`)
  const renewed = await keepCertificate(folder, LOCAL)
  expect(renewed.cert).not.toBe(cert)
  expectKept(folder, renewed)
})

test('A certificate that cannot name what is asked for is made all the same, but not where no folder can be', async () => {
  const { cert } = await keepCertificate(folderWith(), { ...LOCAL, names: ['not a host name'] })
  expect(cert).toContain('BEGIN CERTIFICATE')
  const refused = expect(keepCertificate(join(folderWith({ file: '' }), 'file'), LOCAL)).rejects
  await refused.toThrow(
    /^\S+file: the certificate cannot be kept here: [^\n]*the option stateDir\.$/,
  )
})

/** Twelve starts at once: all have the pair that is kept. */
async function startTwelve(folder: string, need: typeof LOCAL) {
  const kept = await Promise.all(Array.from({ length: 12 }, () => keepCertificate(folder, need)))
  const [first] = kept
  if (!first) throw new Error('nothing was kept')
  expect(new Set(kept.map(({ cert, key }) => cert + key))).toHaveProperty('size', 1)
  expectKept(folder, first)
  expect(await keepCertificate(folder, need)).toEqual(first)
  return first
}

test('Twelve starts at once serve one certificate in a folder that does not exist yet', async () => {
  for (let round = 0; round < ROUNDS; round++) await startTwelve(join(folderWith(), 'a/b'), LOCAL)
})

test.each([
  ['has expired', EXPIRED, () => {}],
  ['lacks a name', OTHER_NAME, () => {}],
  ['is damaged', LOCAL, (folder: string) => writeFileSync(tlsKeyFileIn(folder), 'no PEM at all')],
])('Four starts at once renew a certificate that %s', async (_what, need, damage) => {
  const folder = folderWith()
  const before = await keepCertificate(folder, LOCAL)
  damage(folder)
  const made = await Promise.all(Array.from({ length: 4 }, () => keepCertificate(folder, need)))
  const kept = await keepCertificate(folder, need)
  expect(made.map(({ cert }) => cert)).toContain(kept.cert)
  expect(kept.cert).not.toBe(before.cert)
  expectKept(folder, kept)
})

test('A folder in which certificates are renewed again holds one certificate', async () => {
  const folder = folderWith()
  for (let year = 0; year < 4; year++)
    await keepCertificate(folder, { ...LOCAL, now: NOW + year * 400 * DAY_MS })
  expect(readdirSync(folder).sort()).toEqual(['tls-certificate.pem', 'tls-key.pem'])
  expect(statSync(tlsKeyFileIn(folder)).mode & 0o777).toBe(0o600)
})
