import type { Vocabulary } from '../../age/vocabulary.ts'
import type { Lifetimes, Store } from '../../oidc/ports.ts'
import type { Profile } from '../../oidc/profile.ts'
import type { Certifications } from '../../oidc/request/certifications.ts'
import type { ClientSettings } from '../clients/clients.ts'
import type { SandboxClock } from '../clock/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Tables } from './tables.ts'
import type { TenantDirectory } from './tenant-directory.ts'

/** What decides when nobody else does: names of a persona and of an outcome. */
export interface Defaults {
  readonly persona: string | undefined
  readonly outcome: string | undefined
}

/** What a tenant may have of its own; the rest is settled for all. */
export interface TenantSettings {
  readonly lifetimes: Lifetimes
  /** Beside the built-in client. */
  readonly clients: readonly ClientSettings[]
  readonly defaults: Defaults
}

/** What is settled for every tenant of a process. */
export interface WorldSettings extends TenantSettings {
  readonly profile: Profile
  readonly vocabulary: Vocabulary
  readonly certifications: Certifications
  readonly builtinClient: boolean
  readonly personas: readonly Persona[]
  readonly seed: number | undefined
}

/** A store that a reset can empty. */
export interface TenantStore extends Store {
  clear(): Promise<void>
}

/** What every tenant of a process is made of. */
export interface World {
  readonly settings: WorldSettings
  readonly journal: Journal
  /** Shared until a tenant rotates its own. */
  readonly keys: KeyRing
  readonly directory: TenantDirectory
  /** Whether other processes have the same tenants: then each request begins by reading what they were told. */
  readonly isShared: boolean
  generateKeys(): Promise<SigningKeys>
  createStore(tenant: string, clock: SandboxClock): TenantStore
  /** `state` outlives a reset of the tenant, `changes` do not. */
  createTables(tenant: string, kind: 'state' | 'changes'): Tables
}
