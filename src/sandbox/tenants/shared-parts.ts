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
 * Settings of a tenant that are one value each. They are members of the config file, of `PUT
 * tenants` and of `configure`. `config/settings.ts` explains them to the config file and the
 * command line.
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

/** The same schemas, each optional and without its default. */
function withoutDefaults<Shape extends Readonly<Record<string, z.ZodDefault>>>(
  shape: Shape,
): Changeable<Shape> {
  const members = Object.entries(shape).map(([name, schema]) => [name, z.optional(schema.unwrap())])
  return Object.fromEntries(members) as Changeable<Shape>
}

/** The settings of `TENANT_VALUES` in a change: one that is left out stays as it is. */
export const TENANT_VALUE_CHANGES = withoutDefaults(TENANT_VALUES)

/** The settings of `TENANT_VALUES` in `given`, with defaults for those that are absent. */
export const tenantValuesOf = (given: object) => tenantValuesSchema.parse(given)

const tenantValuesSchema = z.object(camelCased(TENANT_VALUES))

export const tenantSettingsSchema = z.object({
  lifetimes: lifetimesSchema,
  /** The declared clients, without the built-in client. */
  clients: z.array(clientSettingsSchema).readonly(),
  /**
   * Secrets of clients that were declared before: recorded calls may hold them, so they stay
   * masked.
   */
  formerSecrets: z.array(z.string()).readonly().optional(),
  /** The names of the persona and the outcome that decide when no other source names one. */
  defaults: z.object({ persona: z.string().optional(), outcome: z.string().optional() }),
  ...tenantValuesSchema.shape,
  /** Variants by the names of their readings. */
  readings: z.record(z.string(), z.string()),
})

/** The settings of a tenant: declared ones, and those that it has set itself. */
export type TenantSettings = Readonly<z.infer<typeof tenantSettingsSchema>>

const nameOrNone = z.string().nullable().optional()

/**
 * What a tenant has set itself. A setting that is absent is the declared one, whatever that
 * becomes; a default that is null is none.
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
 * The declared settings of a sandbox: those of its tenants until a tenant sets its own, and
 * settings that are the same for all. They are replaced as a whole when a running sandbox takes up
 * changed files.
 */
export interface SandboxSettings extends TenantSettings {
  readonly profile: Profile
  readonly vocabulary: Vocabulary
  readonly certifications: Certifications
  readonly builtinClient: boolean
  /** Redirect URIs of the built-in client, beside the addresses on this machine. */
  readonly redirectUris: readonly string[]
  readonly personas: readonly Persona[]
  readonly seed: number | undefined
}

/** What the tenants of a process share: settings, keys and stores. */
export interface SharedParts {
  /**
   * Holds the declared settings. When `settings` is replaced, call `Tenants.followSettings`: each
   * tenant then derives its settings again.
   */
  readonly declared: { readonly settings: SandboxSettings }
  readonly journal: Journal
  /** Secrets of the process, masked in every recorded call like those of clients. */
  readonly secrets: readonly string[]
  /** Signing keys, shared by the tenants that have not rotated theirs. */
  readonly keys: KeyRing
  readonly directory: TenantDirectory
  /**
   * Agrees on the signing keys with the other processes that serve the same tenants. Absent in a
   * single process. Otherwise each request begins with it, and by reading what the others changed.
   * @throws Refusal (503) while they do not agree
   */
  agree?(): Promise<void>
  generateKeys(): Promise<SigningKeys>
  createRecords(tenant: string, clock: SandboxClock): TenantRecords
}

/**
 * The tenants besides the root tenant. A tenant that was only called is *touched*; a tenant that a
 * caller created or drives is *declared*. Touched tenants never push out declared ones: each kind
 * has its own limit.
 */
export interface TenantDirectory {
  /**
   * Counts a tenant as the most recently used one of its kind; an unknown tenant becomes a touched
   * one.
   * @returns the tenants whose records must be deleted: the least recently used ones beyond the
   * limit, and perhaps earlier ones that were not reported as `forgotten` yet
   */
  touch(name: string): Promise<readonly string[]>
  /** Makes a tenant a declared one, the most recently used. Returns what `touch` returns. */
  declare(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** Touched tenants first; within each kind the least recently used first. */
  list(): Promise<readonly string[]>
  /** `false` for an unknown tenant. */
  remove(name: string): Promise<boolean>
  /** Reports that the records of a removed tenant are deleted. */
  forgotten(name: string): Promise<void>
}

/** The limits of touched and of declared tenants, besides the root tenant. */
export const MAX_TENANTS = 1_000
