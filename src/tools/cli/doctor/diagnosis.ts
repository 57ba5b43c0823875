/** The checks, in the order in which an app depends on them. */
export type CheckName =
  | 'issuer'
  | 'reachable'
  | 'tls'
  | 'clock'
  | 'addresses'
  | 'key_set'
  | 'client'
  | 'redirect_uri'

/** The result of one check. */
export type Diagnosis =
  | { readonly check: CheckName; readonly status: 'ok' | 'skipped'; readonly message: string }
  | {
      readonly check: CheckName
      readonly status: 'problem'
      /** The name of the problem, for programs and as a search term for the documentation. */
      readonly problem: string
      /** What is wrong, in a sentence. */
      readonly message: string
      /** Lines to change, each with its file or place. */
      readonly fix: readonly string[]
    }

export type Problem = Extract<Diagnosis, { status: 'problem' }>

export const ok = (check: CheckName, message: string): Diagnosis => ({
  check,
  status: 'ok',
  message,
})
export const skipped = (check: CheckName, message: string): Diagnosis => ({
  check,
  status: 'skipped',
  message,
})

export const problem = (
  check: CheckName,
  name: string,
  { message, fix }: { message: string; fix: readonly string[] },
): Problem => ({ check, status: 'problem', problem: name, message, fix })

/** A fix in the configuration of the app. */
export const inApp = (line: string): string => `in the app: ${line}`

/**
 * A fix in a setting of the sandbox, for the three possible places: config file, environment and
 * compose file.
 */
export function inSandbox(setting: string, value: string): string[] {
  const variable = `AGEKEY_SANDBOX_${setting.toUpperCase()}`
  return [
    `agekey-sandbox.yaml: ${setting}: ${value}`,
    `or its environment: ${variable}=${value}`,
    `or compose.yaml, at its service: environment: { ${variable}: '${value}' }`,
  ]
}

/** Fixes that make common runtimes trust a certificate file. */
export const trustLines = (file: string): string[] => [
  `in the environment of the app (Node): NODE_EXTRA_CA_CERTS=${file}`,
  `or (Go, Ruby, PHP, Python): SSL_CERT_FILE=${file}; for requests: REQUESTS_CA_BUNDLE=${file}`,
  `or (Java): keytool -importcert -noprompt -cacerts -alias agekey-sandbox -file ${file}`,
  `then ask again: agekey-sandbox doctor --ca ${file} ...`,
]
