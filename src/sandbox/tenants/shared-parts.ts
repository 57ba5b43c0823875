import * as z from 'zod'
import type { Vocabulary } from '../../age/vocabulary.ts'
import { camelCased } from '../../files/camel-case.ts'
import { lifetimesSchema } from '../../oidc/ports.ts'
import type { Certifications } from '../../oidc/provider.ts'
import type { Profile } from '../../oidc/rules/profile.ts'
import { clientSettingsSchema } from '../clients/client-schema.ts'
import type { SandboxClock } from '../clock/clock.ts'
import type { CoverageKeeper } from '../coverage/coverage-keeper.ts'
import type { Journal } from '../journal/journal.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { TenantRecords } from '../tables.ts'
import type { TenantDirectory } from './tenant-directory.ts'

export const DEFAULT_SLOW_REPLY_SECONDS = 30
export const MAX_SLOW_REPLY_SECONDS = 600

/**
 * Settings of a tenant that are one value each. They are members of the config file, of `PUT tenants` and of `configure`; how the
 * config file and the command line explain them stands in `config/settings/service-settings.ts`.
 */
export const TENANT_VALUES = {
  slow_reply_seconds: z
    .int()
    .min(0)
    .max(MAX_SLOW_REPLY_SECONDS)
    .describe('What the reply of a slow outcome (token.slow, jwks.slow ...) takes')
    .default(DEFAULT_SLOW_REPLY_SECONDS),
}

/** Of what is given, the values of a tenant, with their defaults. */
export const tenantValuesOf = (given: object) => tenantValuesSchema.parse(given)

const tenantValuesSchema = z.object(camelCased(TENANT_VALUES))

export const tenantSettingsSchema = z.object({
  lifetimes: lifetimesSchema,
  /** Beside the built-in client. */
  clients: z.array(clientSettingsSchema).readonly(),
  /** Of clients that were declared before: they are masked in what was recorded then. */
  formerSecrets: z.array(z.string()).readonly().optional(),
  /** Names of the persona and the outcome that decide when no other source names one. */
  defaults: z.object({ persona: z.string().optional(), outcome: z.string().optional() }),
  ...tenantValuesSchema.shape,
  /** Variants by the names of their readings; absent in what an earlier version kept. */
  readings: z.record(z.string(), z.string()).default({}),
})

/** The settings that a tenant may have of its own; the others are the same for all. */
export type TenantSettings = Readonly<z.infer<typeof tenantSettingsSchema>>

/** The settings of a sandbox: the defaults of its tenants, and what is the same for all of them. */
export interface SandboxSettings extends TenantSettings {
  readonly profile: Profile
  readonly vocabulary: Vocabulary
  readonly certifications: Certifications
  readonly builtinClient: boolean
  readonly personas: readonly Persona[]
  readonly seed: number | undefined
}

/** What the tenants of a process share: settings, keys and stores. */
export interface SharedParts {
  readonly settings: SandboxSettings
  readonly journal: Journal
  /** Secrets of the process, beside those of clients: they are masked wherever a call is recorded. */
  readonly secrets: readonly string[]
  /** Shared until a tenant rotates its own. */
  readonly keys: KeyRing
  readonly directory: TenantDirectory
  readonly coverage: CoverageKeeper
  /** Whether other processes have the same tenants: then each request begins by reading what they changed. */
  readonly isShared: boolean
  generateKeys(): Promise<SigningKeys>
  createRecords(tenant: string, clock: SandboxClock): TenantRecords
}
