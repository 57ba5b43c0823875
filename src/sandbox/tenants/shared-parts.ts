import * as z from 'zod'
import type { Vocabulary } from '../../service/age/vocabulary.ts'
import { lifetimesSchema } from '../../service/oidc/ports.ts'
import type { Certifications } from '../../service/oidc/provider.ts'
import type { Profile } from '../../service/oidc/rules/profile.ts'
import { camelCased } from '../../service/text/camel-case.ts'
import { clientSettingsSchema } from '../clients/client-schema.ts'
import type { SandboxClock } from '../clock/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { TenantRecords } from '../tables.ts'

export const DEFAULT_SLOW_REPLY_SECONDS = 30
export const MAX_SLOW_REPLY_SECONDS = 600

/**
 * Tenant settings with a single value. The config file, `PUT tenants` and `configure` accept them.
 * `server/config/settings.ts` documents them for the config file and the command line.
 */
export const TENANT_VALUES = {
  slow_reply_seconds: z
    .int()
    .min(0)
    .max(MAX_SLOW_REPLY_SECONDS)
    .describe('What the reply of a slow outcome (token.slow, jwks.slow ...) takes')
    .default(DEFAULT_SLOW_REPLY_SECONDS),
}

type Changeable<Shape extends Readonly<Record<string, z.ZodDefault>>> = {
  [Name in keyof Shape]: z.ZodOptional<ReturnType<Shape[Name]['unwrap']>>
}

/** Makes each schema optional and removes its default. */
function withoutDefaults<Shape extends Readonly<Record<string, z.ZodDefault>>>(
  shape: Shape,
): Changeable<Shape> {
  const members = Object.entries(shape).map(([name, schema]) => [name, z.optional(schema.unwrap())])
  return Object.fromEntries(members) as Changeable<Shape>
}

/** The settings of `TENANT_VALUES` in a change. An absent setting is not changed. */
export const TENANT_VALUE_CHANGES = withoutDefaults(TENANT_VALUES)

/** The settings of `TENANT_VALUES` in `given`, with defaults for absent settings. */
export const tenantValuesOf = (given: object) => tenantValuesSchema.parse(given)

const tenantValuesSchema = z.object(camelCased(TENANT_VALUES))

export const tenantSettingsSchema = z.object({
  lifetimes: lifetimesSchema,
  /** The declared clients, without the built-in client. */
  clients: z.array(clientSettingsSchema).readonly(),
  /** Secrets of earlier clients. Recorded calls may hold them, so they stay masked. */
  formerSecrets: z.array(z.string()).readonly().optional(),
  /** The persona and outcome that decide when no other source names any. */
  defaults: z.object({ persona: z.string().optional(), outcome: z.string().optional() }),
  ...tenantValuesSchema.shape,
  /** Maps the name of a reading to the name of its variant. */
  readings: z.record(z.string(), z.string()),
})

/** The settings of a tenant: its own settings, and the declared settings for the rest. */
export type TenantSettings = Readonly<z.infer<typeof tenantSettingsSchema>>

const nameOrNone = z.string().nullable().optional()

/**
 * The settings that a tenant has set itself. An absent setting follows the declared setting. A
 * default of `null` removes the declared default.
 */
export const tenantChangesSchema = z
  .object({
    lifetimes: lifetimesSchema.partial(),
    clients: tenantSettingsSchema.shape.clients,
    formerSecrets: tenantSettingsSchema.shape.formerSecrets,
    defaults: z.object({ persona: nameOrNone, outcome: nameOrNone }),
    ...camelCased(TENANT_VALUE_CHANGES),
    readings: z.record(z.string(), z.string()),
  })
  .partial()

/** Settings that a caller changes at run time. */
export type TenantChanges = Readonly<z.infer<typeof tenantChangesSchema>>

/**
 * The declared settings of a sandbox. Tenants use them until they set their own; the members below
 * are the same for all tenants. A running sandbox replaces the whole object when its files change.
 */
export interface SandboxSettings extends TenantSettings {
  readonly profile: Profile
  readonly vocabulary: Vocabulary
  readonly certifications: Certifications
  readonly builtinClient: boolean
  /** Redirect URIs of the built-in client, besides loopback addresses. */
  readonly redirectUris: readonly string[]
  readonly personas: readonly Persona[]
  readonly seed: number | undefined
}

/** The settings, keys and stores that the tenants of a process share. */
export interface SharedParts {
  /**
   * Holds the declared settings. When `settings` is replaced, call `Tenants.followSettings`: each
   * tenant then derives its settings again.
   */
  readonly declared: { readonly settings: SandboxSettings }
  readonly journal: Journal
  /** Secrets of the process, which are masked in recorded calls like the secrets of clients. */
  readonly secrets: readonly string[]
  /** The signing keys of all tenants that have not rotated their keys. */
  readonly keys: KeyRing
  readonly directory: TenantDirectory
  /**
   * Agrees on the signing keys with the other processes that serve the same tenants; absent in a
   * single process. Each request calls this first, and then reads the changes of other processes.
   * @throws Refusal 503 while the processes disagree
   */
  agree?(): Promise<void>
  generateKeys(): Promise<SigningKeys>
  createRecords(tenant: string, clock: SandboxClock): TenantRecords
}

/**
 * The names of all tenants except the root tenant. A tenant that was only called is *touched*; a
 * tenant that a caller created or drives is *declared*. Each kind has its own limit, so touched
 * tenants never push out declared tenants.
 */
export interface TenantDirectory {
  /**
   * Marks a tenant as the most recently used tenant of its kind. An unknown tenant becomes a
   * touched tenant.
   * @returns the tenants whose records must be deleted: the least recently used tenants beyond the
   * limit, and removed tenants that were not reported as `forgotten` yet
   */
  touch(name: string): Promise<readonly string[]>
  /**
   * Marks a tenant as declared and as the most recently used tenant.
   * @returns the same as `touch`
   */
  declare(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** Touched tenants first. Within each kind the least recently used tenant comes first. */
  list(): Promise<readonly string[]>
  /** Removes a tenant. Returns `false` for an unknown tenant. */
  remove(name: string): Promise<boolean>
  /** Reports that the records of a removed tenant were deleted. */
  forgotten(name: string): Promise<void>
}

/** Maximum number of touched tenants, and of declared tenants, besides the root tenant. */
export const MAX_TENANTS = 1_000
