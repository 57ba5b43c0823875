import { dirname, join } from 'node:path'
import type { JWK } from 'jose'
import * as z from 'zod'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { createOrRead } from '../../files/private-file.ts'
import { preparePrivateFolder } from '../../files/private-folder.ts'
import { readTextFile } from '../../files/text-file.ts'
import { SIGNING_ALGORITHMS } from '../../oidc/ports.ts'
import { generateStoredKeys, importKeys, type SigningKeys } from './signing-keys.ts'

const keyFileSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string(), alg: z.enum(SIGNING_ALGORITHMS) })) })

/** Where the signing keys are kept in a state folder. */
export const keyFileIn = (stateDir: string) => join(stateDir, 'signing-keys.json')

/**
 * Reads the keys of a file; `undefined` when the file does not exist yet. Its folder is created then, so that the keys can be written
 * later.
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
 * Generates keys and keeps them in `file`, readable by its owner only. Without a file, or when the file cannot be written, the keys live
 * in memory; `onWarning` is called then, because the server runs already. If another process has written keys first, those are used.
 * @throws ConfigError when those are damaged
 */
export async function generateKeys(file?: string, onWarning?: (message: string) => void): Promise<SigningKeys> {
  const stored = await generateStoredKeys()
  if (file === undefined) return importKeys(stored)
  const keySet = { keys: SIGNING_ALGORITHMS.map((alg) => ({ ...stored[alg], alg })) }
  const kept = await createOrRead(file, `${JSON.stringify(keySet, null, 2)}\n`).catch((error: unknown) => {
    onWarning?.(`${file}: the signing keys cannot be kept and change with the next start: ${messageOf(error)}`)
  })
  return kept === undefined ? importKeys(stored) : importKeySet(kept, file)
}

async function importKeySet(text: string, file: string): Promise<SigningKeys> {
  try {
    const { keys } = keyFileSchema.parse(JSON.parse(text))
    const find = (wanted: string): JWK => {
      const found = keys.find(({ alg }) => alg === wanted)
      if (!found) throw new TypeError(`it holds no ${wanted} key`)
      return found
    }
    return await importKeys({ RS256: find('RS256'), ES256: find('ES256') })
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError || cause instanceof z.ZodError ? 'it is not a JSON Web Key Set' : messageOf(cause)
    throw ConfigError.of(
      `${file}: the signing keys cannot be read: ${reason}. Delete the file to have new keys made.`,
      { cause },
    )
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
