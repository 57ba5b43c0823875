import type { AssuranceLevel } from '../age/assurance.ts'
import type { Method } from '../age/methods.ts'
import type { CallSummary } from '../http/route.ts'
import type { Lifetimes } from '../oidc/ports.ts'
import type { Profile } from '../oidc/profile.ts'
import type { ClientSettings } from '../sandbox/clients/clients.ts'
import type { SigningAlgorithm } from '../sandbox/keys/signing-keys.ts'

/** How a sandbox is set up. Everything is optional. */
export interface SandboxOptions {
  /** 0 (the default) takes a free one. */
  readonly port?: number
  /** The address to listen on; default `127.0.0.1`. */
  readonly host?: string
  /** What tokens and browsers use; default `http://localhost:PORT`, or `https`. */
  readonly baseUrl?: string
  /** The path of the base URL, in place of a whole one: `/agekey`. */
  readonly basePath?: string
  /** The address by which servers reach the same sandbox: `http://agekey-sandbox:2435`. Who calls by it is told of it by discovery. */
  readonly internalUrl?: string
  /** Whether discovery tells a server the addresses under whatever `Host` it calls by. */
  readonly trustHost?: boolean
  /** Proxies whose `X-Forwarded-*` headers are believed: addresses, CIDR ranges, `loopback`, `linklocal`, `uniquelocal`. None by default. */
  readonly trustProxy?: readonly string[]
  /** Serves https, with a self-signed certificate unless `httpsCert` and `httpsKey` name PEM files. */
  readonly https?: boolean
  readonly httpsCert?: string
  readonly httpsKey?: string
  readonly profile?: Profile
  readonly signingAlg?: SigningAlgorithm
  readonly clients?: readonly ClientSettings[]
  /** `false` removes the client `ak_test_sandbox`. */
  readonly builtinClient?: boolean
  readonly provenanceAllowlist?: readonly string[]
  readonly platforms?: readonly string[]
  /** ISO 27566-1 levels of submitted age signals, by provenance and method. */
  readonly certifications?: Readonly<Record<string, Readonly<Partial<Record<Method, AssuranceLevel>>>>>
  /** In seconds; absent ones keep the default. */
  readonly lifetimes?: { readonly [Name in keyof Lifetimes]?: number | undefined }
  /** Persona files or folders, beside the built-in ones. */
  readonly personas?: readonly string[]
  /** Decides for every request that nobody else decides. */
  readonly persona?: string
  readonly outcome?: string
  /** Makes identifiers, codes, tokens and generated names repeatable. */
  readonly seed?: number
  /** A file of signing keys; made when it is not there. */
  readonly keys?: string
  /** A folder that keeps the signing keys, and a self-signed certificate, between runs; without it they live in memory. */
  readonly stateDir?: string
  /** Redis or Valkey in place of memory, so that several processes act as one sandbox: `redis://localhost:6379`. */
  readonly store?: string
  /** Asked for by the control API beyond loopback. */
  readonly controlToken?: string
  onCall?(call: CallSummary): void
  onError?(error: unknown): void
  onWarning?(message: string): void
}
