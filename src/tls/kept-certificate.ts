import { createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, messageOf } from '../files/caught.ts'
import { ConfigError } from '../files/config-error.ts'
import { onDemand } from '../files/on-demand.ts'
import { createOrRead, replaceFile } from '../files/private-file.ts'
import { preparePrivateFolder } from '../files/private-folder.ts'
import { isKeyOf, namesMissingFrom, readLeaf, type ServerCertificate, tlsKeyFileIn } from './certificate.ts'

/** The file of the self-signed certificate in a folder: clients have to trust it. */
export const certificateFileIn = (folder: string): string => join(folder, 'tls-certificate.pem')

/** A certificate that ends sooner than this is renewed at the start: a sandbox runs for days, not for years. */
const RENEW_BEFORE_MS = 7 * 24 * 60 * 60 * 1000

interface Need {
  readonly names: readonly string[]
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The self-signed certificate of a folder, valid for `names`. It is made when there is none, and renewed when it does
 * not name all of them, has expired or soon will. Without a folder it lives in memory. Of several processes that make the first one
 * at once, all serve the same.
 * @throws ConfigError when the folder cannot be written
 */
export async function keepCertificate(folder: string | undefined, need: Need): Promise<ServerCertificate> {
  if (folder === undefined) return { ...parsePair(await generatePair(need)), file: undefined }
  try {
    return { ...(await settlePair(folder, need)), file: certificateFileIn(folder) }
  } catch (cause) {
    throw ConfigError.of(
      `${folder}: the certificate cannot be kept here: ${messageOf(cause)}. Choose another folder by the option stateDir.`,
      { cause },
    )
  }
}

async function settlePair(folder: string, need: Need): Promise<Pair> {
  const file = tlsKeyFileIn(folder)
  const found = await readIfThere(file)
  const pair = found === undefined ? undefined : parsePair(found)
  const kept = pair && isStillGood(pair, need) ? pair : await makePair(file, need)
  const shown = certificateFileIn(folder)
  if ((await readIfThere(shown)) !== kept.cert) await replaceFile(shown, kept.cert, { mode: 0o644 })
  return kept
}

/** Another process may be first to make one: that is taken when it is good. */
async function makePair(file: string, need: Need): Promise<Pair> {
  await preparePrivateFolder(dirname(file))
  const made = await generatePair(need)
  const kept = parsePair(await createOrRead(file, made))
  if (isStillGood(kept, need)) return kept
  await replaceFile(file, made, { mode: 0o600 })
  return parsePair(made)
}

/** The generator is needed once a year: a start that finds a certificate does not load it. */
const loadGenerator = onDemand(() => import('./self-signed.ts'))

async function generatePair({ names, now }: Need): Promise<string> {
  const { generateCertificate } = await loadGenerator()
  const { key, cert } = await generateCertificate(names, now)
  return `${key.trim()}\n${cert.trim()}\n`
}

type Pair = Pick<ServerCertificate, 'cert' | 'key'>

/** The two parts of the file; what is damaged gives empty ones. */
function parsePair(text: string): Pair {
  const partOf = (label: string) =>
    new RegExp(`-----BEGIN ${label}-----[^]*?-----END ${label}-----\n`).exec(text)?.[0] ?? ''
  return { key: partOf('PRIVATE KEY'), cert: partOf('CERTIFICATE') }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // ENOTDIR: the folder is a file, which making sure of the folder explains better.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function isStillGood({ cert, key }: Pair, { names, now }: Need): boolean {
  try {
    const leaf = readLeaf(cert)
    const isInTime = Date.parse(leaf.validFrom) <= now && Date.parse(leaf.validTo) > now + RENEW_BEFORE_MS
    return isInTime && namesMissingFrom(leaf, names).length === 0 && isKeyOf(createPrivateKey(key), leaf)
  } catch {
    // Damaged: nothing is lost by another one.
    return false
  }
}
