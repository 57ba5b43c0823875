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

/** Checks only what is needed to find the keys; `importKeptKeys` checks the keys. */
const keySetSchema = z.object({ keys: z.array(jwkSchema) })

/** The file of the signing keys in a state folder. */
export const keyFileIn = (stateDir: string) => join(stateDir, 'signing-keys.json')

/**
 * Reads signing keys from a file. If the file does not exist, its folder is prepared so that the
 * keys can be written later.
 * @returns `undefined` when the file does not exist
 * @throws ConfigError when the file is damaged, or when the folder is not writable
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
 * Generates keys and stores them in `file`, readable only by its owner. If another process has
 * stored keys first, those keys are used. Without a file the keys are kept in memory; also if the
 * file is not writable, which `onWarning` reports, because the server is already running.
 * @throws ConfigError when the keys of another process are damaged
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
 * Finds the private keys in a JSON Web Key Set (RFC 7517).
 * @throws Error that describes the text
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
 * @throws Error that quotes nothing of the text, which may hold a private key
 */
function parseJson(text: string): unknown {
  if (text.trim() === '') throw new TypeError('the file is empty')
  const [, label] = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text) ?? []
  if (label !== undefined)
    throw new TypeError(`it is a PEM file (${label}), not a JSON Web Key Set`)
  try {
    return JSON.parse(text)
  } catch {
    // The cause is left out, because the message of the parser quotes the text.
    throw new TypeError(/^\s*[{[]/.test(text) ? 'its JSON is damaged or cut off' : 'it is not JSON')
  }
}

function readText(file: string): string | undefined {
  const read = readTextFile(file)
  if (read.ok) return read.text
  const { code, line, reason, cause } = read
  // ENOTDIR: the path of the folder is a file. `preparePrivateFolder` reports this with a better
  // message.
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
