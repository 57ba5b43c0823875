import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { messageOf } from '../../../src/sandbox/files/caught.ts'
import { ConfigError } from '../../../src/sandbox/files/config-error.ts'
import { generateKeys, keyFileIn, readKeyFile } from '../../../src/sandbox/keys/key-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agekey-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('Keys that were made are read back by their ids, from a file for its owner only that git leaves alone', async () => {
  const file = keyFileIn(join(folder, 'a/b'))
  expect(await readKeyFile(file)).toBeUndefined()
  const made = await generateKeys(file)
  expect(made.RS256.kid).toMatch(/^sandbox-rs256-/)
  expect(made.ES256.kid).toMatch(/^sandbox-es256-/)
  const read = await readKeyFile(file)
  expect(read?.RS256.kid).toBe(made.RS256.kid)
  expect(read?.ES256.kid).toBe(made.ES256.kid)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
  expect(readFileSync(join(folder, 'a/b/.gitignore'), 'utf8')).toBe('*\n')
})

test('A state folder that is there already stays as it is when keys are made', async () => {
  chmodSync(folder, 0o755)
  await readKeyFile(keyFileIn(folder))
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  expect(existsSync(join(folder, '.gitignore'))).toBe(false)
})

test('A state folder that can never be made, or that is at or below a file, is refused at once', async () => {
  const refused = /\/proc\/x.*: the state folder cannot be written.*the option stateDir/
  for (const path of ['/proc/x', '/proc/x/y/z'])
    await expect(readKeyFile(keyFileIn(path))).rejects.toThrow(refused)
  writeFileSync(join(folder, 'file'), '')
  for (const path of ['file', 'file/below'])
    await expect(readKeyFile(keyFileIn(join(folder, path)))).rejects.toThrow(ConfigError)
})

test('Signing keys that cannot be written are used with a warning', async () => {
  const warnings: string[] = []
  const keys = await generateKeys(join(folder, 'gone/signing-keys.json'), (message) =>
    warnings.push(message),
  )
  expect(keys.RS256.privateKey.type).toBe('private')
  expect(warnings).toEqual([
    expect.stringMatching(/gone\/signing-keys\.json: the signing keys cannot be kept/),
  ])
})

test('Three starts that make keys at the same time have the same keys', async () => {
  const file = keyFileIn(join(folder, 'state'))
  const made = await Promise.all(
    [1, 2, 3].map(async () => (await readKeyFile(file)) ?? generateKeys(file)),
  )
  const kids = made.map(({ RS256, ES256 }) => `${RS256.kid} ${ES256.kid}`)
  const kept = await readKeyFile(file)
  expect(kids).toEqual(Array(3).fill(`${kept?.RS256.kid} ${kept?.ES256.kid}`))
})

test('A damaged key file is refused in one line that says what to do, also when another process has left it', async () => {
  const file = keyFileIn(folder)
  writeFileSync(file, '{"keys": [{"kty": "RSA"}]}')
  await expect(readKeyFile(file)).rejects.toThrow(/not a JSON Web Key Set.*Delete the file/)
  writeFileSync(file, 'not keys')
  const refused = /^\S+signing-keys\.json: the signing keys cannot be read: [^\n]*Delete the file/
  await expect(generateKeys(file)).rejects.toThrow(refused)
})

test('A key file in UTF-16 is refused as such', async () => {
  const file = keyFileIn(folder)
  writeFileSync(file, Buffer.from('\uFEFF{"keys": []}', 'utf16le'))
  await expect(readKeyFile(file)).rejects.toThrow(
    /signing-keys\.json: the signing keys cannot be read: is UTF-16 /,
  )
})

const RSA = { kty: 'RSA', alg: 'RS256' }
const EC = { kty: 'EC', crv: 'P-256', alg: 'ES256' }

test.each([
  ['is empty', '', 'the file is empty'],
  ['holds blanks', ' \n', 'the file is empty'],
  [
    'is a certificate',
    '-----BEGIN CERTIFICATE-----\nMIIB',
    'it is a PEM file (CERTIFICATE), not a JSON Web Key Set',
  ],
  [
    'is a private key as PEM',
    '\n-----BEGIN RSA PRIVATE KEY-----\nMIIB',
    'it is a PEM file (RSA PRIVATE KEY), not',
  ],
  ['was cut off in a list', '{"keys": [{"kty": "RSA"}', 'its JSON is damaged or cut off'],
  ['was cut off in a text', '{"keys": [{"kty": "RS', 'its JSON is damaged or cut off'],
  ['is another text', 'keys: []', 'it is not JSON'],
  ['is another JSON value', '[1]', 'it is not a JSON Web Key Set, which is {"keys": [...]}'],
  ['is one key', JSON.stringify(RSA), 'it is not a JSON Web Key Set, which is {"keys": [...]}'],
  ['has no key', '{"keys": []}', 'the member alg says RS256 for none (found: no key)'],
  [
    'lacks one key',
    JSON.stringify({ keys: [RSA] }),
    'the member alg says ES256 for none (found: RSA RS256)',
  ],
  [
    'has another alg',
    JSON.stringify({ keys: [{ ...RSA, alg: 'PS256' }, EC] }),
    'the member alg says RS256 for none (found: RSA PS256, EC ES256)',
  ],
  [
    'has no alg',
    JSON.stringify({ keys: [RSA, { kty: 'EC' }] }),
    'the member alg says ES256 for none (found: RSA RS256, EC without alg)',
  ],
  [
    'has public keys',
    JSON.stringify({ keys: [RSA, EC] }),
    'the RS256 key is a public key: the private member d is',
  ],
])('A key file that %s is refused by what it is', async (_what, text, reason) => {
  const file = keyFileIn(folder)
  writeFileSync(file, text)
  const refused = readKeyFile(file)
  await expect(refused).rejects.toThrow(`${file}: the signing keys cannot be read: `)
  await expect(refused).rejects.toThrow(reason)
  await expect(refused).rejects.toThrow(
    'Delete the file to have new keys made, or put an intact copy in its place.',
  )
})

test('A key file with a damaged key is refused without a private member', async () => {
  const file = keyFileIn(folder)
  await generateKeys(file)
  const text = readFileSync(file, 'utf8')
  const key = JSON.parse(text).keys[0]
  writeFileSync(file, text.replace(key.n, key.n.replace(/^..../, 'zzzz')))
  const message = await readKeyFile(file).catch(messageOf)
  expect(message).toContain(
    `${file}: the signing keys cannot be read: the RS256 key is damaged: n, p and q do not`,
  )
  expect(message).not.toContain(key.d.slice(0, 12))
})

test('A key file that was cut off anywhere is refused', async () => {
  const file = keyFileIn(folder)
  await generateKeys(file)
  const text = readFileSync(file, 'utf8').trimEnd()
  for (let length = 0; length < text.length; length += 97) {
    writeFileSync(file, text.slice(0, length))
    await expect(readKeyFile(file)).rejects.toThrow(
      /its JSON is damaged or cut off|the file is empty/,
    )
  }
})
