import { dirname, join } from 'node:path'
import type { JWK } from 'jose'
import * as z from 'zod'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../service/oidc/ports.ts'
import { excerpt, listed } from '../../service/text/message-parts.ts'
import { messageOf } from '../files/caught.ts'
import { ConfigError } from '../files/config-error.ts'
import { createOrRead } from '../files/private-file.ts'
import { preparePrivateFolder } from '../files/private-folder.ts'
import { readTextFile } from '../files/text-file.ts'
import { importKeptKeys } from './kept-keys.ts'
import {
  generateStoredKeys,
  importKeys,
  jwkSchema,
  type SigningKeys,
  type StoredKeys,
} from './signing-keys.ts'

/** Only what finds the keys; `importKeptKeys` checks them. */
const keySetSchema = z.object({ keys: z.array(jwkSchema) })

/** Where the signing keys are kept in a state folder. */
export const keyFileIn = (stateDir: string) => join(stateDir, 'signing-keys.json')

/**
 * Reads the keys of a file; `undefined` when the file does not exist yet. Its folder is created
 * then, so that the keys can be written later.
 * @throws ConfigError when the file is damaged or the folder cannot be written
 */
export async function readKeyFile(file: string): Promise<SigningKeys | undefined> {
  const text = readText(file)
  if (text === undefined) {
    await prepareFolder(dirname(file))
    return undefined
  }
  return await importKeySet(text, file)
}

/**
 * Generates keys and keeps them in `file`, readable by its owner only. Without a file, or when the
 * file cannot be written, the keys live in memory; `onWarning` is called then, because the server
 * runs already. If another process has written keys first, those are used.
 * @throws ConfigError when those are damaged
 */
export async function generateKeys(
  file?: string,
  onWarning?: (message: string) => void,
): Promise<SigningKeys> {
  const stored = await generateStoredKeys()
  if (file === undefined) return importKeys(stored)
  const keySet = { keys: SIGNING_ALGORITHMS.map((alg) => ({ ...stored[alg], alg })) }
  const text = `${JSON.stringify(keySet, null, 2)}\n`
  const kept = await createOrRead(file, text).catch((error: unknown) => {
    onWarning?.(
      `${file}: the signing keys cannot be kept and change with the next start: ${messageOf(error)}`,
    )
  })
  return kept === undefined || kept === text ? importKeys(stored) : importKeySet(kept, file)
}

async function importKeySet(text: string, file: string): Promise<SigningKeys> {
  try {
    return await importKeptKeys(findKeys(text))
  } catch (cause) {
    throw ConfigError.of(
      `${file}: the signing keys cannot be read: ${messageOf(cause)}. ` +
        'Delete the file to have new keys made, or put an intact copy in its place.',
      { cause },
    )
  }
}

/**
 * The private keys of a JSON Web Key Set (RFC 7517).
 * @throws Error that says what the text is instead
 */
function findKeys(text: string): StoredKeys {
  const parsed = keySetSchema.safeParse(parseJson(text))
  if (!parsed.success) throw new TypeError(`it is not a JSON Web Key Set, which is {"keys": [...]}`)
  const { keys } = parsed.data
  const find = (wanted: SigningAlgorithm): JWK => {
    const key = keys.find(({ alg }) => alg === wanted)
    if (key) return key
    const others = keys.map(
      ({ kty, alg }) =>
        `${excerpt(String(kty))} ${alg === undefined ? 'without alg' : excerpt(String(alg))}`,
    )
    throw new TypeError(
      `it is not a JSON Web Key Set with a private key for each of ${SIGNING_ALGORITHMS.join(' and ')}: ` +
        `the member alg says ${wanted} for none (found: ${listed(others) || 'no key'})`,
    )
  }
  return { RS256: find('RS256'), ES256: find('ES256') }
}

/**
 * Parses the text of a key file.
 * @throws Error that repeats nothing of the text, which may hold a private key
 */
function parseJson(text: string): unknown {
  if (text.trim() === '') throw new TypeError('the file is empty')
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text) ?? []
  if (label !== undefined)
    throw new TypeError(`it is a PEM file (${label}), not a JSON Web Key Set`)
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause: the error of the parser quotes the text.
    throw new TypeError(/^\s*[{[]/.test(text) ? 'its JSON is damaged or cut off' : 'it is not JSON')
  }
}

function readText(file: string): string | undefined {
  const read = readTextFile(file)
  if (read.ok) return read.text
  const { code, line, reason, cause } = read
  // ENOTDIR: the folder is a file. The check of the folder explains that better.
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  const place = line === undefined ? file : `${file}:${line}`
  throw ConfigError.of(`${place}: the signing keys cannot be read: ${reason}`, { cause })
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await preparePrivateFolder(folder)
  } catch (cause) {
    const message = `${folder}: the state folder cannot be written: ${messageOf(cause)}. Choose another one by the option stateDir.`
    throw ConfigError.of(message, { cause })
  }
}
