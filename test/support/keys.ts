import { fileURLToPath } from 'node:url'
import { generateKeys, readKeyFile } from '../../src/sandbox/keys/key-file.ts'

/** Generated once: an RSA key takes longer than a test. */
export const KEY_FILE = fileURLToPath(
  new URL('../../node_modules/.cache/agekey-sandbox/signing-keys.json', import.meta.url),
)

export const readTestKeys = async () => (await readKeyFile(KEY_FILE)) ?? generateKeys(KEY_FILE)
