import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { codeOf, messageOf } from '../files/caught.ts'
import { ConfigError } from '../files/config-error.ts'
import { isKeyOf, namesMissingFrom, readLeaf, type ServerCertificate } from './certificate.ts'

/** The user's own certificate, with what is allowed but should be known of it, a sentence each. */
export interface OwnCertificate extends ServerCertificate {
  readonly warnings: readonly string[]
}

/**
 * Reads a certificate and its key from PEM files. `names` are the hosts by which clients will come, `now` is in epoch milliseconds.
 * @throws ConfigError: a file that cannot be read or is something else, a key that does not fit
 */
export function readOwnCertificate(
  files: { readonly certFile: string; readonly keyFile: string },
  { names, now }: { readonly names: readonly string[]; readonly now: number },
): OwnCertificate {
  const cert = readText('httpsCert', files.certFile)
  const key = readText('httpsKey', files.keyFile)
  const leaf = parseCertificate(cert, files.certFile)
  if (!isKeyOf(parseKey(key, files.keyFile), leaf)) {
    throw ConfigError.of(
      `httpsKey: ${files.keyFile} is not the key of the certificate in ${files.certFile}; give the two that were made together`,
    )
  }
  checkUsable({ cert, key }, files.certFile)
  return { cert, key, file: files.certFile, warnings: warningsOf(leaf, { file: files.certFile, names, now }) }
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = codeOf(cause)
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : String(code)
    throw ConfigError.of(`${option}: cannot read ${file} (${reason})`, { cause })
  }
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return readLeaf(pem)
  } catch (cause) {
    throw ConfigError.of(`httpsCert: ${file} is no PEM certificate; it begins with -----BEGIN CERTIFICATE-----`, {
      cause,
    })
  }
}

function parseKey(pem: string, file: string): KeyObject {
  if (/ENCRYPTED/.test(pem)) {
    throw ConfigError.of(`httpsKey: ${file} is encrypted; give the key without a passphrase`)
  }
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw ConfigError.of(`httpsKey: ${file} is no PEM private key; it begins with -----BEGIN PRIVATE KEY-----`, {
      cause,
    })
  }
}

/** Finds what OpenSSL would report only at the first connection: a damaged chain, a key too small. */
function checkUsable(pair: { cert: string; key: string }, file: string): void {
  try {
    createSecureContext(pair)
  } catch (cause) {
    throw ConfigError.of(`httpsCert: ${file} cannot be used: ${messageOf(cause)}`, { cause })
  }
}

function warningsOf(
  leaf: X509Certificate,
  { file, names, now }: { file: string; names: readonly string[]; now: number },
): string[] {
  const missing = namesMissingFrom(leaf, names)
  return [
    ...(Date.parse(leaf.validTo) < now
      ? [`httpsCert: ${file} expired on ${leaf.validTo}; clients will refuse it`]
      : []),
    ...(Date.parse(leaf.validFrom) > now
      ? [`httpsCert: ${file} is not valid before ${leaf.validFrom}; clients will refuse it`]
      : []),
    ...(missing.length > 0
      ? [`httpsCert: ${file} does not name ${missing.join(', ')}; clients that come by that name will refuse it`]
      : []),
  ]
}
