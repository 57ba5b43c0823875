import { createPrivateKey, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { codeOf, messageOf } from '../../sandbox/files/caught.ts'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { createOrRead, replaceFile } from '../../sandbox/files/private-file.ts'
import { preparePrivateFolder } from '../../sandbox/files/private-folder.ts'
import { readTextFile } from '../../sandbox/files/text-file.ts'
import { bareHost, readLeaf, type ServerCertificate, tlsKeyFileIn } from './certificate.ts'
import { generateCertificate } from './self-signed.ts'

/** The file with the self-signed certificate in a folder, which clients have to trust. */
export const certificateFileIn = (folder: string): string => join(folder, 'tls-certificate.pem')

/**
 * A certificate that expires within this time is renewed at the start, because a sandbox may run
 * for days.
 */
const RENEW_BEFORE_MS = 7 * 24 * 60 * 60 * 1000

interface Need {
  readonly names: readonly string[]
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Reads the self-signed certificate of a folder. It creates the certificate if there is none, and
 * renews it if a name is missing or it expires within a week. Without a folder the certificate is
 * only in memory.
 * @throws ConfigError when the folder cannot be written
 */
export async function keepCertificate(
  folder: string | undefined,
  need: Need,
): Promise<ServerCertificate> {
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

/** Creates a certificate, or uses a valid one that another process has just created. */
async function makePair(file: string, need: Need): Promise<Pair> {
  await preparePrivateFolder(dirname(file))
  const made = await generatePair(need)
  const kept = parsePair(await createOrRead(file, made))
  if (isStillGood(kept, need)) return kept
  await replaceFile(file, made, { mode: 0o600 })
  return parsePair(made)
}

async function generatePair({ names, now }: Need): Promise<string> {
  const { key, cert } = await generateCertificate(names, now)
  return key + cert
}

type Pair = Pick<ServerCertificate, 'cert' | 'key'>

/** The certificate and the key in the text; empty texts if it is damaged. */
function parsePair(text: string): Pair {
  const partOf = (label: string) =>
    new RegExp(`-----BEGIN ${label}-----[^]*?-----END ${label}-----\n`).exec(text)?.[0] ?? ''
  return { key: partOf('PRIVATE KEY'), cert: partOf('CERTIFICATE') }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // ENOTDIR: the folder is a file. `preparePrivateFolder` explains that better.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function isStillGood({ cert, key }: Pair, { names, now }: Need): boolean {
  try {
    const leaf = readLeaf(cert)
    const isInTime =
      Date.parse(leaf.validFrom) <= now && Date.parse(leaf.validTo) > now + RENEW_BEFORE_MS
    return (
      isInTime &&
      namesMissingFrom(leaf, names).length === 0 &&
      verifies(leaf, createPrivateKey(key))
    )
  } catch {
    // A damaged certificate can be replaced.
    return false
  }
}

/**
 * Whether the certificate verifies a signature of the key. A damaged private key may still name the
 * right public key.
 */
function verifies(leaf: X509Certificate, key: KeyObject): boolean {
  const input = Buffer.from('agekey-sandbox')
  try {
    // No digest, because Ed25519 has its own.
    return verify(undefined, input, leaf.publicKey, sign(undefined, input, key))
  } catch {
    return false
  }
}

/**
 * Reads the user's own certificate and key from PEM files. A certificate that clients will refuse
 * causes a warning.
 * @param need.names the host names that clients will use
 * @throws ConfigError for a file that cannot be read or is not PEM, and for a key that does not
 * match
 */
export function readOwnCertificate(
  { certFile, keyFile }: { readonly certFile: string; readonly keyFile: string },
  { names, now, onWarning }: Need & { onWarning(message: string): void },
): ServerCertificate {
  const cert = readPem('httpsCert', certFile)
  const key = readPem('httpsKey', keyFile)
  const leaf = attempt(
    () => readLeaf(cert),
    () =>
      `httpsCert: ${certFile} is no PEM certificate; it begins with -----BEGIN CERTIFICATE-----`,
  )
  if (/ENCRYPTED/.test(key))
    throw ConfigError.of(`httpsKey: ${keyFile} is encrypted; give the key without a passphrase`)
  const privateKey = attempt(
    () => createPrivateKey(key),
    () => `httpsKey: ${keyFile} is no PEM private key; it begins with -----BEGIN PRIVATE KEY-----`,
  )
  if (!leaf.checkPrivateKey(privateKey)) {
    throw ConfigError.of(
      `httpsKey: ${keyFile} is not the key of the certificate in ${certFile}; give the two that were made together`,
    )
  }
  if (!verifies(leaf, privateKey)) {
    throw ConfigError.of(
      `httpsKey: ${keyFile} is damaged, because the certificate in ${certFile} does not verify what the key signs; ` +
        'give an intact copy of the key, or leave out both for a self-signed certificate',
    )
  }
  // Reports now what OpenSSL would report at the first connection: a damaged chain, a key that is
  // too small.
  attempt(
    () => createSecureContext({ cert, key }),
    (cause) => `httpsCert: ${certFile} cannot be used: ${messageOf(cause)}`,
  )
  const refused = (what: string, by = 'clients') =>
    onWarning(`httpsCert: ${certFile} ${what}; ${by} will refuse it`)
  if (Date.parse(leaf.validTo) < now) refused(`expired on ${leaf.validTo}`)
  if (Date.parse(leaf.validFrom) > now) refused(`is not valid before ${leaf.validFrom}`)
  const missing = namesMissingFrom(leaf, names)
  if (missing.length > 0)
    refused(`does not name ${missing.join(', ')}`, 'clients that come by that name')
  return { cert, key, file: certFile }
}

/**
 * Returns the result of `act`.
 * @throws ConfigError with the message that `problem` returns
 */
function attempt<Result>(act: () => Result, problem: (cause: unknown) => string): Result {
  try {
    return act()
  } catch (cause) {
    throw ConfigError.of(problem(cause), { cause })
  }
}

function readPem(option: string, file: string): string {
  const read = readTextFile(file)
  if (read.ok) return read.text
  const { code, reason, cause } = read
  const problem = code === undefined ? `${file}: ${reason}` : `cannot read ${file} (${reason})`
  throw ConfigError.of(`${option}: ${problem}`, { cause })
}

/** The names for which clients would refuse this certificate. IPv6 addresses may have brackets. */
const namesMissingFrom = (certificate: X509Certificate, names: readonly string[]): string[] =>
  names.filter((name) => {
    const bare = bareHost(name)
    return isIP(bare) !== 0 ? !certificate.checkIP(bare) : !certificate.checkHost(bare)
  })
