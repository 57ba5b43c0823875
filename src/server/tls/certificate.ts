import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'

/** The certificate and private key of a TLS server, as PEM. */
export interface ServerCertificate {
  /** A certificate or a chain; the server's own certificate comes first. */
  readonly cert: string
  readonly key: string
  /** The file that holds `cert`; `undefined` when the certificate is only in memory. */
  readonly file: string | undefined
}

/**
 * The file in a state folder with the private key and its certificate. One file, so that both
 * always match.
 */
export const tlsKeyFileIn = (folder: string): string => join(folder, 'tls-key.pem')

/**
 * Reads the first certificate of a PEM text.
 * @throws Error when the text holds none
 */
export const readLeaf = (pem: string): X509Certificate => new X509Certificate(pem)

/**
 * The host of a URL as certificates name it: an IPv6 address has no brackets.
 * @example
 * bareHost('[::1]') // '::1'
 */
export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
