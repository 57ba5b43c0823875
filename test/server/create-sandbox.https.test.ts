import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { certificateFileIn, keepCertificate } from '../../src/tls/kept-certificate.ts'
import { generateCertificate } from '../../src/tls/self-signed.ts'
import { startSandbox } from '../support/sandbox.ts'
import { rawCall } from './raw-call.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-tls-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const jwksOf = (url: string) => `${url}/.well-known/jwks.json`

describe('a self-signed certificate', () => {
  test('is accepted by a client that trusts the exported file, under every name, and refused by one that does not', async () => {
    const { url, baseUrl, certificate } = await startSandbox({ https: true, stateDir: folder })
    const { port } = new URL(url)
    expect({ url, baseUrl }).toEqual({ url: `https://127.0.0.1:${port}`, baseUrl: `https://localhost:${port}` })
    const ca = readFileSync(certificate?.file ?? '', 'utf8')
    for (const host of ['localhost', '127.0.0.1']) {
      expect((await rawCall(jwksOf(`https://${host}:${port}`), { ca })).status).toBe(200)
    }
    await expect(rawCall(jwksOf(url))).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })

  test('names this machine, the host of the base URL and that of the internal URL', async () => {
    const { certificate } = await startSandbox({
      https: true,
      baseUrl: 'https://age.example',
      internalUrl: 'https://[2001:db8::1]:2435',
    })
    const leaf = new X509Certificate(certificate?.pem ?? '')
    for (const name of ['localhost', 'age.example']) expect(leaf.checkHost(name)).toBe(name)
    for (const address of ['127.0.0.1', '::1', '2001:db8::1']) expect(leaf.checkIP(address)).toBe(address)
    expect(leaf.checkHost('other.example')).toBeUndefined()
    expect({ file: certificate?.file, isAuthority: leaf.ca }).toEqual({ file: undefined, isAuthority: false })
  })

  test('is kept: its file is readable, its key only by the owner, and git leaves both alone', async () => {
    const stateDir = join(folder, 'state')
    const { certificate } = await startSandbox({ https: true, stateDir })
    const mode = (file: string) => statSync(join(stateDir, file)).mode & 0o777
    expect(certificate?.file).toBe(certificateFileIn(stateDir))
    expect(mode('tls-certificate.pem') & 0o444).toBe(0o444)
    expect(mode('tls-key.pem')).toBe(0o600)
    expect((await startSandbox({ https: true, stateDir })).certificate).toEqual(certificate)
  })

  test.each<[string, { now: number; names: string[] }, boolean]>([
    ['a day later it is the same', { now: DAY_MS, names: ['localhost'] }, true],
    ['for fewer names it is the same', { now: 0, names: [] }, true],
    ['for another name it is renewed', { now: 0, names: ['localhost', 'age.example'] }, false],
    ['in its last week it is renewed', { now: 359 * DAY_MS, names: ['localhost'] }, false],
    ['expired it is renewed', { now: 400 * DAY_MS, names: ['localhost'] }, false],
    ['when the clock was set back far it is renewed', { now: -30 * DAY_MS, names: ['localhost'] }, false],
  ])('%s', async (_sentence, { now, names }, isKept) => {
    const start = Date.UTC(2026, 0, 15)
    const first = await keepCertificate(folder, { names: ['localhost'], now: start })
    const second = await keepCertificate(folder, { names, now: start + now })
    expect(second.cert === first.cert).toBe(isKept)
    expect(readFileSync(certificateFileIn(folder), 'utf8')).toBe(second.cert)
    const leaf = new X509Certificate(second.cert)
    expect(leaf.checkPrivateKey(createPrivateKey(second.key))).toBe(true)
    expect(Date.parse(leaf.validTo)).toBeGreaterThan(start + now)
  })

  test.each<[string, boolean]>([
    ['tls-certificate.pem', true],
    ['tls-key.pem', false],
  ])(
    'when %s is damaged there is a pair that fits again; that the certificate stays the same is %s',
    async (file, stays) => {
      const options = { names: ['localhost'], now: Date.UTC(2026, 0, 15) }
      const first = await keepCertificate(folder, options)
      writeFileSync(join(folder, file), 'no PEM at all')
      const { cert, key } = await keepCertificate(folder, options)
      expect(cert === first.cert).toBe(stays)
      expect(readFileSync(certificateFileIn(folder), 'utf8')).toBe(cert)
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true)
    },
  )

  test('a folder that cannot be one is refused in one line', async () => {
    writeFileSync(join(folder, 'file'), '')
    const kept = keepCertificate(join(folder, 'file'), { names: ['localhost'], now: 0 })
    await expect(kept).rejects.toThrow(/^\S+file: the certificate cannot be kept here: [^\n]*the option stateDir\.$/)
  })
})

describe('an own certificate', () => {
  const now = Date.now()
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const writePair = async (names: string[], at = now) => {
    const { cert, key } = await generateCertificate(names, at)
    return { httpsCert: write('cert.pem', cert), httpsKey: write('key.pem', key) }
  }

  test('is shown, and stands for https by itself', async () => {
    const files = await writePair(['localhost'])
    const warnings: string[] = []
    const sandbox = await startSandbox({ ...files, onWarning: (message) => warnings.push(message) })
    expect(sandbox.certificate).toEqual({ pem: readFileSync(files.httpsCert, 'utf8'), file: files.httpsCert })
    const { baseUrl, certificate } = sandbox
    expect((await rawCall(jwksOf(baseUrl), { ca: certificate?.pem })).status).toBe(200)
    expect(warnings).toEqual([])
  })

  test.each<[string, string[], number, RegExp]>([
    ['expired', ['localhost'], now - 400 * DAY_MS, /expired on .* clients will refuse it/],
    ['from the future', ['localhost'], now + 30 * DAY_MS, /is not valid before/],
    ['for another name', ['other.example'], now, /does not name localhost; clients that come by that name/],
  ])('%s it is served with a warning', async (_sentence, names, at, warning) => {
    const warnings: string[] = []
    await startSandbox({ ...(await writePair(names, at)), onWarning: (message) => warnings.push(message) })
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  test('a base URL by http is warned of', async () => {
    const warnings: string[] = []
    await startSandbox({
      ...(await writePair(['localhost'])),
      baseUrl: 'http://localhost:2435',
      onWarning: (message) => warnings.push(message),
    })
    expect(warnings).toEqual(['baseUrl: http://localhost:2435 begins with http, but the sandbox itself serves https'])
  })

  test('that cannot be used stops the start in one line', async () => {
    const files = await writePair(['localhost'])
    const other = await generateCertificate(['localhost'], now)
    const otherKey = write('other.pem', other.key)
    const text = write('text.pem', 'hello')
    const locked = write('locked.pem', '-----BEGIN ENCRYPTED PRIVATE KEY-----\n')
    mkdirSync(join(folder, 'dir'))
    const cases: [object, RegExp][] = [
      [{ ...files, httpsCert: join(folder, 'absent') }, /^httpsCert: cannot read \S+absent \(there is no such file\)$/],
      [{ ...files, httpsCert: join(folder, 'dir') }, /^httpsCert: cannot read \S+dir \(it is a folder\)$/],
      [{ ...files, httpsCert: text }, /^httpsCert: \S+ is no PEM certificate; it begins with -----BEGIN CERTIFICATE/],
      [{ ...files, httpsCert: files.httpsKey }, /^httpsCert: \S+ is no PEM certificate/],
      [{ ...files, httpsKey: text }, /^httpsKey: \S+ is no PEM private key; it begins with -----BEGIN PRIVATE KEY/],
      [{ ...files, httpsKey: locked }, /^httpsKey: \S+ is encrypted; give the key without a passphrase$/],
      [{ ...files, httpsKey: otherKey }, /^httpsKey: \S+other.pem is not the key of the certificate in \S+cert.pem/],
    ]
    for (const [options, message] of cases) expect(await failureOf(options)).toMatch(message)
  })
})

test('a persona cookie by https is Secure', async () => {
  const { url, certificate } = await startSandbox({ https: true })
  const headers = { 'Content-Type': 'application/json', Origin: url }
  const call = { method: 'POST', headers, ca: certificate?.pem } as const
  expect((await rawCall(`${url}/_sandbox/act-as/teen-16`, call)).headers['set-cookie']).toMatch(/; Secure(?:;|$)/)
})

/** Why a sandbox does not start. */
async function failureOf(options: object): Promise<string> {
  try {
    await (await createSandbox(options)).close()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('it started')
}
