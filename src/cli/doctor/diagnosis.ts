/** What is looked at, in the order in which an app would stumble over it. */
export type CheckName = 'issuer' | 'reachable' | 'tls' | 'clock' | 'addresses' | 'key_set' | 'client' | 'redirect_uri'

/** What can be wrong, by name: for programs, and for searching the documentation. */
export type ProblemName =
  | 'issuer_malformed'
  | 'name_not_found'
  | 'connection_refused'
  | 'timeout'
  | 'connection_failed'
  | 'https_expected'
  | 'http_expected'
  | 'tls_self_signed'
  | 'tls_unknown_authority'
  | 'tls_expired'
  | 'tls_not_yet_valid'
  | 'tls_wrong_name'
  | 'discovery_missing'
  | 'discovery_redirected'
  | 'discovery_unreadable'
  | 'issuer_path_missing'
  | 'issuer_of_create'
  | 'issuer_trailing_slash'
  | 'issuer_scheme'
  | 'issuer_loopback_name'
  | 'issuer_port'
  | 'issuer_path'
  | 'issuer_host'
  | 'issuer_spelling'
  | 'clock_difference'
  | 'address_missing'
  | 'address_unreachable'
  | 'key_set_unreadable'
  | 'key_set_empty'
  | 'key_set_private'
  | 'key_set_foreign'
  | 'client_refused'
  | 'client_unknown'
  | 'redirect_uri_unregistered'
  | 'unexpected_answer'

/** The result of one check. */
export type Diagnosis =
  | { readonly check: CheckName; readonly status: 'ok' | 'skipped'; readonly message: string }
  | {
      readonly check: CheckName
      readonly status: 'problem'
      readonly problem: ProblemName
      /** What is wrong, in a sentence. */
      readonly message: string
      /** The lines to change, each with the place where it stands. */
      readonly fix: readonly string[]
    }

export type Problem = Extract<Diagnosis, { status: 'problem' }>

export const ok = (check: CheckName, message: string): Diagnosis => ({ check, status: 'ok', message })
export const skipped = (check: CheckName, message: string): Diagnosis => ({ check, status: 'skipped', message })

export const problem = (
  check: CheckName,
  name: ProblemName,
  { message, fix }: { message: string; fix: readonly string[] },
): Problem => ({ check, status: 'problem', problem: name, message, fix })
