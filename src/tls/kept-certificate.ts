import { createPrivateKey } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../files/caught.ts'
import { ConfigError } from '../files/config-error.ts'
import { onDemand } from '../files/on-demand.ts'
import { preparePrivateFolder } from '../files/private-folder.ts'
import { isKeyOf, namesMissingFrom, readLeaf, type ServerCertificate } from './certificate.ts'

/** The file of the self-signed certificate in a folder: clients have to trust it. */
export const certificateFileIn = (folder: string): string => join(folder, 'tls-certificate.pem')

const keyFileIn = (folder: string) => join(folder, 'tls-key.pem')

/** A certificate that ends sooner than this is renewed at the start: a sandbox runs for days, not for years. */
const RENEW_BEFORE_MS = 7 * 24 * 60 * 60 * 1000

/**
 * The self-signed certificate of a folder, valid for `names`. It is made when there is none, and renewed when it does
 * not name all of them, has expired or soon will. `now` is in epoch milliseconds. Without a folder it lives in memory.
 * @throws ConfigError when the folder cannot be written
 */
export async function keepCertificate(
  folder: string | undefined,
  { names, now }: { readonly names: readonly string[]; readonly now: number },
): Promise<ServerCertificate> {
  if (folder === undefined) return { ...(await generate(names, now)), file: undefined }
  const file = certificateFileIn(folder)
  const kept = await readPair(folder)
  if (kept && isStillGood(kept, { names, now })) return { ...kept, file }

  await prepareFolder(folder)
  const made = await generate(names, now)
  // The key first: a process that reads between the two finds a pair that does not fit, and makes another one.
  await replace(keyFileIn(folder), made.key, { mode: 0o600 })
  await replace(file, made.cert, { mode: 0o644 })
  return { ...made, file }
}

/** The generator is needed once a year: a start that finds a certificate does not load it. */
const loadGenerator = onDemand(() => import('./self-signed.ts'))

async function generate(names: readonly string[], now: number) {
  const { generateCertificate } = await loadGenerator()
  return generateCertificate(names, now)
}

type Pair = Pick<ServerCertificate, 'cert' | 'key'>

async function readPair(folder: string): Promise<Pair | undefined> {
  try {
    const [cert, key] = await Promise.all([
      readFile(certificateFileIn(folder), 'utf8'),
      readFile(keyFileIn(folder), 'utf8'),
    ])
    return { cert, key }
  } catch {
    // Not there, or not to be read: writing reports what is wrong with the folder.
    return undefined
  }
}

function isStillGood({ cert, key }: Pair, { names, now }: { names: readonly string[]; now: number }): boolean {
  try {
    const leaf = readLeaf(cert)
    const isInTime = Date.parse(leaf.validFrom) <= now && Date.parse(leaf.validTo) > now + RENEW_BEFORE_MS
    return isInTime && namesMissingFrom(leaf, names).length === 0 && isKeyOf(createPrivateKey(key), leaf)
  } catch {
    // Damaged: nothing is lost by another one.
    return false
  }
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await preparePrivateFolder(folder)
  } catch (cause) {
    throw ConfigError.of(
      `${folder}: the certificate cannot be kept here: ${messageOf(cause)}. Choose another folder by the option stateDir.`,
      { cause },
    )
  }
}

async function replace(file: string, text: string, { mode }: { mode: number }): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  await writeFile(draft, text, { mode })
  await rename(draft, file)
}
