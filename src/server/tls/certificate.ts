import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'

/** What a TLS server shows and proves itself by, as PEM. */
export interface ServerCertificate {
  /** One certificate or a chain of them; the server's own comes first. */
  readonly cert: string
  readonly key: string
  /** The file that holds `cert`; `undefined` when it lives in memory. */
  readonly file: string | undefined
}

/**
 * The file in a state folder that holds the private key and its certificate: one, so that they
 * always belong together.
 */
export const tlsKeyFileIn = (folder: string): string => join(folder, 'tls-key.pem')

/** Reads the first certificate of a PEM text. @throws Error when the text holds none */
export const readLeaf = (pem: string): X509Certificate => new X509Certificate(pem)

/** A host of a URL as certificates name it: an IPv6 address without its brackets. */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
