import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tlsKeyFileIn } from '../../src/tls/certificate.ts'
import { certificateFileIn, keepCertificate } from '../../src/tls/kept-certificate.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 15)
const ROUNDS = 5

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-kept-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const local = { names: ['localhost'], now: NOW }

/** Twelve starts at once; every one has the pair that is kept, and its parts fit. */
async function startTwelve(stateDir: string, need: { names: readonly string[]; now: number }) {
  const kept = await Promise.all(Array.from({ length: 12 }, () => keepCertificate(stateDir, need)))
  const [first] = kept
  if (!first) throw new Error('nothing was kept')
  expect(new Set(kept.map(({ cert }) => cert)).size).toBe(1)
  expect(new Set(kept.map(({ key }) => key)).size).toBe(1)
  expect(new X509Certificate(first.cert).checkPrivateKey(createPrivateKey(first.key))).toBe(true)
  expect(readFileSync(certificateFileIn(stateDir), 'utf8')).toBe(first.cert)
  expect(readFileSync(tlsKeyFileIn(stateDir), 'utf8')).toContain(first.cert)
  expect(await keepCertificate(stateDir, need)).toEqual(first)
  return first
}

describe('Twelve starts at once serve one certificate', () => {
  test('in a folder that does not exist yet', async () => {
    for (let round = 0; round < ROUNDS; round++) await startTwelve(join(folder, `a/b-${round}`), local)
  })

  test.each<[string, { names: string[]; now: number }]>([
    ['when the one that is kept has expired', { names: ['localhost'], now: NOW + 400 * DAY_MS }],
    ['when the one that is kept lacks a name', { names: ['localhost', 'age.example'], now: NOW }],
  ])('%s', async (_sentence, need) => {
    for (let round = 0; round < ROUNDS; round++) {
      const stateDir = join(folder, String(round))
      const before = await keepCertificate(stateDir, local)
      const after = await startTwelve(stateDir, need)
      expect(after.cert).not.toBe(before.cert)
    }
  })

  test('when the one that is kept is damaged', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const stateDir = join(folder, String(round))
      await keepCertificate(stateDir, local)
      writeFileSync(tlsKeyFileIn(stateDir), 'no PEM at all')
      await startTwelve(stateDir, local)
    }
  })

  test('when a process was killed before what it renewed was in its place', async () => {
    await keepCertificate(folder, local)
    const old = readFileSync(tlsKeyFileIn(folder), 'utf8')
    const later = { names: ['localhost'], now: NOW + 400 * DAY_MS }
    const renewed = await keepCertificate(folder, later)
    writeFileSync(tlsKeyFileIn(folder), old)
    expect((await startTwelve(folder, later)).cert).toBe(renewed.cert)
  })
})

test('A certificate that cannot name what is asked for is made all the same', async () => {
  const { cert } = await keepCertificate(folder, { names: ['not a host name'], now: NOW })
  expect(cert).toContain('BEGIN CERTIFICATE')
})

test('A folder in which certificates are renewed again and again holds one and what it came from', async () => {
  for (let year = 0; year < 5; year++) {
    await keepCertificate(folder, { names: ['localhost'], now: NOW + year * 400 * DAY_MS })
  }
  const names = readdirSync(folder)
  expect(names.filter((name) => !name.endsWith('.tmp')).sort()).toEqual(['tls-certificate.pem', 'tls-key.pem'])
  for (const name of names.filter((name) => name !== 'tls-certificate.pem')) {
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  }
})
