import { codeOf } from '../../files/caught.ts'
import { type Problem, type ProblemName, problem } from './diagnosis.ts'
import { inSandbox, trustLines } from './fix-lines.ts'

/** What OpenSSL and Node call it, and what it is. */
const NAMES: Readonly<Record<string, ProblemName>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_authority',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
}

/** Why the certificate of a server was refused, or `undefined` when an error says something else. */
export function tlsProblem(url: string, error: unknown): Problem | undefined {
  const name = NAMES[codeOf(error) ?? '']
  if (name === undefined) return undefined
  const { host, hostname, origin } = new URL(url)
  switch (name) {
    case 'tls_self_signed':
      return problem('tls', name, {
        message: `${host}: its certificate is self-signed, and this machine does not trust it`,
        fix: [
          'the sandbox prints the file of its certificate at the start: tls-certificate.pem in its state folder',
          ...trustLines('/path/to/tls-certificate.pem'),
        ],
      })
    case 'tls_expired':
      return problem('tls', name, {
        message: `${host}: its certificate has expired`,
        fix: [
          'restart the sandbox: it renews a certificate that it made itself; the app must then read the file again',
          ...inSandbox('https_cert', './a-newer-certificate.pem'),
        ],
      })
    case 'tls_not_yet_valid':
      return problem('tls', name, {
        message: `${host}: its certificate is not valid yet; perhaps the clock of this machine is behind`,
        fix: ['set the clock of this machine: timedatectl set-ntp true'],
      })
    case 'tls_wrong_name':
      return problem('tls', name, {
        message: `${host}: its certificate is for other names${namesIn(error)}`,
        fix: [
          `a certificate of the sandbox's own making names the hosts of base_url and internal_url:`,
          ...inSandbox('internal_url', origin),
          `or give it a certificate for ${hostname}: --https-cert FILE --https-key FILE`,
        ],
      })
    default:
      return problem('tls', 'tls_unknown_authority', {
        message: `${host}: this machine does not know the authority that signed its certificate`,
        fix: [
          "take the certificate of that authority, for example mkcert's rootCA.pem",
          ...trustLines('/path/to/rootCA.pem'),
        ],
      })
  }
}

/** Node attaches the certificate that it refused for its names. */
function namesIn(error: unknown): string {
  const shown: unknown = error instanceof Error && 'cert' in error ? error.cert : undefined
  const names: unknown =
    typeof shown === 'object' && shown !== null && 'subjectaltname' in shown ? shown.subjectaltname : undefined
  return typeof names === 'string' ? `: ${names}` : ''
}
