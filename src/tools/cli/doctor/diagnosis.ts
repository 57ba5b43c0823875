/** The checks, in the order in which an app would fail by them. */
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
      /** The name of the problem, for programs and for searching the documentation. */
      readonly problem: string
      /** What is wrong, in a sentence. */
      readonly message: string
      /** The lines to change, each with its place. */
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

/** A line for the configuration of the app. */
export const inApp = (line: string): string => `in the app: ${line}`

/**
 * A setting of the sandbox in its three possible places: config file, environment, compose file.
 */
export function inSandbox(setting: string, value: string): string[] {
  const variable = `AGEKEY_SANDBOX_${setting.toUpperCase()}`
  return [
    `agekey-sandbox.yaml: ${setting}: ${value}`,
    `or its environment: ${variable}=${value}`,
    `or compose.yaml, at its service: environment: { ${variable}: '${value}' }`,
  ]
}

/** How the common runtimes are made to trust a certificate file. */
export const trustLines = (file: string): string[] => [
  `in the environment of the app (Node): NODE_EXTRA_CA_CERTS=${file}`,
  `or (Go, Ruby, PHP, Python): SSL_CERT_FILE=${file}; for requests: REQUESTS_CA_BUNDLE=${file}`,
  `or (Java): keytool -importcert -noprompt -cacerts -alias agekey-sandbox -file ${file}`,
  `then ask again: agekey-sandbox doctor --ca ${file} ...`,
]
