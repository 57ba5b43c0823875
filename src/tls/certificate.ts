import { type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'

/** What a TLS server shows and proves itself by. */
export interface ServerCertificate {
  /** One certificate or a chain of them, as PEM; the server's own comes first. */
  readonly cert: string
  /** The private key, as PEM. */
  readonly key: string
  /** The file that holds `cert`; `undefined` when it lives in memory. */
  readonly file: string | undefined
}

/** The file in a state folder that holds the private key and its certificate: one, so that they always belong together. */
export const tlsKeyFileIn = (folder: string): string => join(folder, 'tls-key.pem')

/** Reads the first certificate of a PEM text. @throws Error when it is none */
export const readLeaf = (pem: string): X509Certificate => new X509Certificate(pem)

/** Whether `key` is the private key of the certificate. */
export const isKeyOf = (key: KeyObject, certificate: X509Certificate): boolean => certificate.checkPrivateKey(key)

/** The names, of those given, that a client would refuse this certificate for. IPv6 addresses may stand in brackets. */
export const namesMissingFrom = (certificate: X509Certificate, names: readonly string[]): string[] =>
  names.filter((name) => {
    const bare = bareHost(name)
    return isIP(bare) !== 0 ? !certificate.checkIP(bare) : !certificate.checkHost(bare)
  })

/** A host of a URL as certificates name it: an IPv6 address without its brackets. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
