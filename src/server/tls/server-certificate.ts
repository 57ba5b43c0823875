import { ConfigError } from '../../sandbox/files/config-error.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import type { ServerCertificate } from './certificate.ts'

interface HttpsOptions {
  /** Serves https, with a self-signed certificate unless files are given. */
  readonly https?: boolean | undefined
  /** PEM file of a certificate or chain. Together with `httpsKey` it turns on https too. */
  readonly httpsCert?: string | undefined
  readonly httpsKey?: string | undefined
}

/**
 * Whether the options ask for https.
 * @throws ConfigError for contradicting options
 */
export function servesHttps({ https, httpsCert, httpsKey }: HttpsOptions): boolean {
  const [given, missing] =
    httpsCert === undefined ? ['httpsKey', 'httpsCert'] : ['httpsCert', 'httpsKey']
  if ((httpsCert === undefined) !== (httpsKey === undefined)) {
    throw ConfigError.of(
      `${given}: needs the option ${missing} too; give both, or neither for a self-signed certificate`,
    )
  }
  if (https === false && httpsCert !== undefined) {
    throw ConfigError.of('httpsCert: https is set to false; leave out one of the two')
  }
  return https === true || httpsCert !== undefined
}

/** The names that every self-signed certificate contains. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the certificate of an https sandbox: the user's own, or a self-signed one that is kept in
 * `folder` (without a folder, in memory).
 * @param options.hosts additional host names that clients use
 * @throws ConfigError for files that cannot be used, or a folder that cannot be written
 */
export async function obtainCertificate(
  { httpsCert, httpsKey }: HttpsOptions,
  options: {
    folder: string | undefined
    hosts: readonly string[]
    now: number
    onWarning(message: string): void
  },
): Promise<ServerCertificate> {
  const { folder, hosts, now, onWarning } = options
  const { keepCertificate, readOwnCertificate } = await loadCertificates()
  return httpsCert !== undefined && httpsKey !== undefined
    ? readOwnCertificate(
        { certFile: httpsCert, keyFile: httpsKey },
        { names: hosts, now, onWarning },
      )
    : keepCertificate(folder, { names: [...new Set([...LOOPBACK_NAMES, ...hosts])], now })
}

const loadCertificates = onDemand(() => import('./kept-certificate.ts'))
