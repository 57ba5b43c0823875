import type { AssuranceLevel } from '../age/assurance.ts'
import type { Method } from '../age/methods.ts'
import type { KnownOutcome, KnownPersona } from '../client/shapes/names.ts'
import type { ClientSettings, Lifetimes, Readings } from '../client/shapes/settings.ts'
import { createOptionCheck } from '../config/option-check.ts'
import type { CallSummary } from '../http/handler.ts'
import type { SigningAlgorithm } from '../oidc/ports.ts'
import type { Profile } from '../oidc/profile.ts'

/** How a sandbox is set up: the settings of the config file in camelCase, and callbacks. Everything is optional. */
export interface SandboxOptions {
  /** 0 (the default) takes a free one. */
  readonly port?: number | undefined
  /** The address to listen on; default `127.0.0.1`. */
  readonly host?: string | undefined
  /** What tokens and browsers use; default `http://localhost:PORT`, or `https`. */
  readonly baseUrl?: string | undefined
  /** The path of the base URL, when the rest of it is the default: `/agekey`. */
  readonly basePath?: string | undefined
  /** The address by which servers reach the same sandbox: `http://agekey-sandbox:2435`. Discovery names it to callers that use it. */
  readonly internalUrl?: string | undefined
  /** Whether discovery names the addresses under whatever `Host` a server calls by. */
  readonly trustHost?: boolean | undefined
  /** Proxies whose `X-Forwarded-*` headers are believed: addresses, CIDR ranges, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustProxy?: readonly string[] | undefined
  /** Serves https, with a self-signed certificate unless `httpsCert` and `httpsKey` name PEM files. */
  readonly https?: boolean | undefined
  readonly httpsCert?: string | undefined
  readonly httpsKey?: string | undefined
  /** `spec` (the default): the specification to the letter. `agekey`: the live service's names and tolerances. */
  readonly profile?: Profile | undefined
  /** Of the id_tokens; default `RS256`. */
  readonly signingAlg?: SigningAlgorithm | undefined
  /** Relying parties, beside the built-in one. */
  readonly clients?: readonly ClientSettings[] | undefined
  /** `false` removes the client `ak_test_sandbox`. */
  readonly builtinClient?: boolean | undefined
  /** Provenance paths that a submitted age signal may name; replaces the built-in list. */
  readonly provenanceAllowlist?: readonly string[] | undefined
  /** Values of the attribute `platform`; replaces the built-in list. */
  readonly platforms?: readonly string[] | undefined
  /** ISO 27566-1 levels of submitted age signals, by provenance and method. */
  readonly certifications?:
    | { readonly [provenance: string]: { readonly [Name in Method]?: AssuranceLevel } }
    | undefined
  /** In seconds; absent ones keep the default. */
  readonly lifetimes?: { readonly [Name in keyof Lifetimes]?: Lifetimes[Name] | undefined } | undefined
  /** Seconds that the reply of a slow outcome (`token.slow`, `jwks.slow` ...) takes; default 30, at most 600. */
  readonly slowReplySeconds?: number | undefined
  /** How the service reads what the specification leaves open: variants by the names of their readings, `{ par_status: '200' }`. */
  readonly readings?: Readings | undefined
  /** Persona files or folders, beside the built-in ones. */
  readonly personas?: readonly string[] | undefined
  /** Decides every request that nothing else decides. */
  readonly persona?: KnownPersona | undefined
  readonly outcome?: KnownOutcome | undefined
  /** Makes identifiers, codes, tokens and generated names repeatable. */
  readonly seed?: number | undefined
  /** A folder that keeps the signing keys, and a self-signed certificate, between runs; without it they live in memory. */
  readonly stateDir?: string | undefined
  /** A file of signing keys; made when it is not there. */
  readonly keys?: string | undefined
  /** A file of what the clients of this process were sent, and of what is missing: the coverage. Each run replaces it. */
  readonly coverageFile?: string | undefined
  /** Redis or Valkey instead of memory, so that several processes act as one sandbox: `redis://localhost:6379`. */
  readonly store?: string | undefined
  /** Megabytes that the process keeps in memory, of all tenants; default 256, or less where Node may use little memory. */
  readonly memoryBudget?: number | undefined
  /** The control API requires it beyond this machine. */
  readonly controlToken?: string | undefined
  onCall?(call: CallSummary): void
  onError?(error: unknown): void
  onWarning?(message: string): void
  /** The report of an audit, as JSON, that the console shows on its page Audit; the command line gives the last one of its folder. */
  lastAudit?(): string | undefined | Promise<string | undefined>
}

const CALLBACKS = ['onCall', 'onError', 'onWarning', 'lastAudit'] as const satisfies (keyof SandboxOptions)[]

/** Checks options that come from JavaScript or from JSON. @throws ConfigError for an unknown option or a value that cannot be used */
export const checkSandboxOptions: (options: SandboxOptions) => void = createOptionCheck(CALLBACKS)
