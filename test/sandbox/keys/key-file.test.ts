import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from '../../../src/files/config-error.ts'
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
  const kids = [made.RS256.kid, made.ES256.kid]
  expect(kids).toEqual([expect.stringMatching(/^sandbox-rs256-/), expect.stringMatching(/^sandbox-es256-/)])
  const read = await readKeyFile(file)
  expect([read?.RS256.kid, read?.ES256.kid]).toEqual(kids)
  expect([file, join(folder, 'a/b')].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700])
  expect(readFileSync(join(folder, 'a/b/.gitignore'), 'utf8')).toBe('*\n')
})

test('A state folder that is there already stays as it is when keys are made', async () => {
  chmodSync(folder, 0o755)
  await readKeyFile(keyFileIn(folder))
  expect([statSync(folder).mode & 0o777, existsSync(join(folder, '.gitignore'))]).toEqual([0o755, false])
})

test('A state folder that can never be made, or that is at or below a file, is refused at once', async () => {
  const refused = /\/proc\/x.*: the state folder cannot be written.*the option stateDir/
  for (const path of ['/proc/x', '/proc/x/y/z']) await expect(readKeyFile(keyFileIn(path))).rejects.toThrow(refused)
  writeFileSync(join(folder, 'file'), '')
  for (const path of ['file', 'file/below'])
    await expect(readKeyFile(keyFileIn(join(folder, path)))).rejects.toThrow(ConfigError)
})

test('Signing keys that can no longer be written cause a warning and are still used', async () => {
  const warnings: string[] = []
  const keys = await generateKeys(join(folder, 'gone/signing-keys.json'), (message) => warnings.push(message))
  expect(keys.RS256.privateKey.type).toBe('private')
  expect(warnings).toEqual([expect.stringMatching(/gone\/signing-keys\.json: the signing keys cannot be kept/)])
})

test('Of three starts that make keys at the same time one keeps them, and all have the same', async () => {
  const file = keyFileIn(join(folder, 'state'))
  const made = await Promise.all([1, 2, 3].map(async () => (await readKeyFile(file)) ?? generateKeys(file)))
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
  await expect(readKeyFile(file)).rejects.toThrow(/signing-keys\.json: the signing keys cannot be read: is UTF-16 /)
})
