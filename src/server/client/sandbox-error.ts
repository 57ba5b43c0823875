import { codeOf, isError, messageOf } from '../../sandbox/files/caught.ts'

/** The sandbox refused the call (nothing was changed) or did not answer. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /**
   * The error code, for example `invalid_request`. Without an answer: `unreachable`, `timeout`, or
   * `closed` after `close()`.
   */
  readonly error: string
  /** Names similar to an unknown name. */
  readonly suggestions: readonly string[]

  constructor(
    message: string,
    {
      status,
      error,
      suggestions = [],
      cause,
    }: {
      status: number
      error: string
      suggestions?: readonly string[] | undefined
      cause?: unknown
    },
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.error = error
    this.suggestions = suggestions
  }
}

/**
 * The error for a failed `fetch`, with the reason that the message of `fetch` omits.
 * @param cause the error that `fetch` threw
 */
export function unreachable(url: string, cause: unknown): SandboxError {
  const reason = isError(cause) && cause.cause !== undefined ? cause.cause : cause
  const { origin, port } = new URL(url)
  const start = `npx agekey-sandbox${port === '' ? '' : ` --port ${port}`}`
  return new SandboxError(`${origin}: ${problemOf(reason, start)}`, {
    status: 0,
    error: 'unreachable',
    cause,
  })
}

/** Why Node refused a certificate. */
export const CERTIFICATE_PROBLEMS = {
  tls_self_signed: 'its certificate is self-signed, and this machine does not trust it',
  tls_unknown_authority: 'this machine does not know the authority that signed its certificate',
  tls_expired: 'its certificate has expired',
  tls_not_yet_valid:
    'its certificate is not valid yet; perhaps the clock of this machine is behind',
  tls_wrong_name: 'its certificate is for other names',
} as const

/** Certificate problems by the error code of OpenSSL or Node. */
export const CERTIFICATE_CODES: Readonly<Record<string, keyof typeof CERTIFICATE_PROBLEMS>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_authority',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
}

const TRUST =
  'set NODE_EXTRA_CA_CERTS to the file to trust, which for a certificate that the sandbox made is tls-certificate.pem in its state folder'

function problemOf(reason: unknown, start: string): string {
  const code = codeOf(reason)
  const certificate = CERTIFICATE_CODES[code ?? '']
  if (certificate) {
    const isUntrusted = certificate === 'tls_self_signed' || certificate === 'tls_unknown_authority'
    return `${CERTIFICATE_PROBLEMS[certificate]}${isUntrusted ? `; ${TRUST}` : ''}`
  }
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens there; start a sandbox (${start}), or give the address of one that runs`
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
      return `the connection was lost before the answer came (${code}); look whether the sandbox was stopped`
    default:
      return `cannot be reached (${code ?? messageOf(reason)})`
  }
}
