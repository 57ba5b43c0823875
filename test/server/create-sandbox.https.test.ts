import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/server/create-sandbox.ts'
import { certificateFileIn } from '../../src/server/tls/kept-certificate.ts'
import { generateCertificate } from '../../src/server/tls/self-signed.ts'
import { damagedKey } from '../support/damaged-key.ts'
import { folderWith } from '../support/folder-with.ts'
import { startSandbox } from '../support/sandbox.ts'
import { rawCall } from './raw-call.ts'

const jwksOf = (url: string) => `${url}/.well-known/jwks.json`

test('A self-signed certificate is accepted under each name by a client that trusts its file', async () => {
  const { url, baseUrl, certificate } = await startSandbox({ https: true, stateDir: folderWith() })
  const { port } = new URL(url)
  expect({ url, baseUrl }).toEqual({
    url: `https://127.0.0.1:${port}`,
    baseUrl: `https://localhost:${port}`,
  })
  const ca = readFileSync(certificate?.file ?? '', 'utf8')
  for (const host of ['localhost', '127.0.0.1'])
    expect((await rawCall(jwksOf(`https://${host}:${port}`), { ca })).status).toBe(200)
  await expect(rawCall(jwksOf(url))).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const headers = { 'Content-Type': 'application/json', Origin: url }
  const persona = await rawCall(`${url}/_sandbox/act-as/teen-16`, { method: 'POST', headers, ca })
  expect(persona.setCookie.join()).toMatch(/; Secure(?:;|$)/)
})

test('A self-signed certificate names this machine beside the hosts of both URLs', async () => {
  const names = { baseUrl: 'https://age.example', internalUrl: 'https://[2001:db8::1]:2435' }
  const { certificate } = await startSandbox({ https: true, ...names })
  const leaf = new X509Certificate(certificate?.pem ?? '')
  for (const name of ['localhost', 'age.example']) expect(leaf.checkHost(name)).toBe(name)
  for (const address of ['127.0.0.1', '::1', '2001:db8::1'])
    expect(leaf.checkIP(address)).toBe(address)
  expect(leaf.checkHost('other.example')).toBeUndefined()
  expect({ file: certificate?.file, isAuthority: leaf.ca }).toEqual({
    file: undefined,
    isAuthority: false,
  })
})

test('A self-signed certificate is kept: its file is readable, its key only by the owner', async () => {
  const options = { https: true, stateDir: join(folderWith(), 'state') }
  const { certificate } = await startSandbox(options)
  const mode = (file: string) => statSync(join(options.stateDir, file)).mode & 0o777
  expect(certificate?.file).toBe(certificateFileIn(options.stateDir))
  expect(mode('tls-certificate.pem') & 0o444).toBe(0o444)
  expect(mode('tls-key.pem')).toBe(0o600)
  expect((await startSandbox(options)).certificate).toEqual(certificate)
})

describe('An own certificate', () => {
  const now = Date.now()
  const day = 24 * 60 * 60 * 1000
  const writePair = async (name: string, at = now) => {
    const { cert, key } = await generateCertificate([name], at)
    const folder = folderWith({ 'cert.pem': cert, 'key.pem': key })
    return { httpsCert: join(folder, 'cert.pem'), httpsKey: join(folder, 'key.pem') }
  }
  const startWith = async (options: SandboxOptions) => {
    const warnings: string[] = []
    const sandbox = await startSandbox({
      ...options,
      onWarning: (message) => warnings.push(message),
    })
    return { ...sandbox, warnings }
  }

  test('An own certificate stands for https by itself', async () => {
    const files = await writePair('localhost')
    const { baseUrl, certificate, warnings } = await startWith(files)
    expect(certificate).toEqual({
      pem: readFileSync(files.httpsCert, 'utf8'),
      file: files.httpsCert,
    })
    expect((await rawCall(jwksOf(baseUrl), { ca: certificate?.pem })).status).toBe(200)
    expect(warnings).toEqual([])
  })

  const [HTTP, INTERNAL] = [
    { baseUrl: 'http://localhost:2435' },
    { internalUrl: 'http://localhost:2436' },
  ]
  test.each<[string, string, number, SandboxOptions, RegExp]>([
    ['that has expired', 'localhost', now - 400 * day, {}, /expired on .* clients will refuse it/],
    ['from the future', 'localhost', now + 30 * day, {}, /is not valid before/],
    [
      'for another name',
      'other.example',
      now,
      {},
      /does not name localhost; clients that come by that name/,
    ],
    [
      'beside a base URL by http',
      'localhost',
      now,
      HTTP,
      /^baseUrl: .* the sandbox itself serves https$/,
    ],
    [
      'beside an internal URL by http',
      'localhost',
      now,
      INTERNAL,
      /^internalUrl: .* itself serves https$/,
    ],
  ])(
    'An own certificate %s is served with a warning',
    async (_what, name, at, options, warning) => {
      const { warnings } = await startWith({ ...(await writePair(name, at)), ...options })
      expect(warnings).toEqual([expect.stringMatching(warning)])
    },
  )

  test('An own certificate that cannot be used stops the start in one line', async () => {
    const [files, { httpsKey: otherKey }] = [
      await writePair('localhost'),
      await writePair('localhost'),
    ]
    const utf16 = Buffer.from('\uFEFF-----BEGIN CERTIFICATE-----', 'utf16le')
    const folder = folderWith({
      utf16,
      text: 'hello',
      locked: '-----BEGIN ENCRYPTED PRIVATE KEY-----\n',
    })
    const [text, locked] = ['text', 'locked'].map((name) => join(folder, name))
    const damaged = join(
      folderWith({ damaged: damagedKey(readFileSync(files.httpsKey, 'utf8')) }),
      'damaged',
    )
    const cases: [SandboxOptions, RegExp][] = [
      [
        { httpsCert: join(folder, 'absent') },
        /^httpsCert: cannot read \S+absent \(there is no such file\)$/,
      ],
      [{ httpsCert: folder }, /^httpsCert: cannot read \S+ \(it is a folder\)$/],
      [
        { httpsCert: join(folder, 'utf16') },
        /^httpsCert: \S+utf16: is UTF-16 \(PowerShell's > writes that\); /,
      ],
      [
        { httpsCert: text },
        /^httpsCert: \S+ is no PEM certificate; it begins with -----BEGIN CERTIFICATE/,
      ],
      [{ httpsCert: files.httpsKey }, /^httpsCert: \S+ is no PEM certificate/],
      [
        { httpsKey: text },
        /^httpsKey: \S+ is no PEM private key; it begins with -----BEGIN PRIVATE KEY/,
      ],
      [{ httpsKey: locked }, /^httpsKey: \S+ is encrypted; give the key without a passphrase$/],
      [
        { httpsKey: otherKey },
        /^httpsKey: \S+key.pem is not the key of the certificate in \S+cert.pem/,
      ],
      [
        { httpsKey: damaged },
        /^httpsKey: \S+damaged is damaged, because .* does not verify what the key signs; give an/,
      ],
    ]
    for (const [options, message] of cases)
      await expect(createSandbox({ ...files, ...options })).rejects.toThrow(message)
  })
})
