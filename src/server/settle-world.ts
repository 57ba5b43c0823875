import { unknownName } from '../age/nearest.ts'
import { DEFAULT_LIFETIMES, DEFAULT_PLATFORMS, DEFAULT_PROVENANCE_ALLOWLIST } from '../oidc/decisions.ts'
import { BUILTIN_CLIENT } from '../sandbox/clients/clients.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../sandbox/personas/load-personas.ts'
import type { WorldSettings } from '../sandbox/tenants/world.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** A setting names a persona or an outcome that does not exist. */
export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError'

  /** The setting, by its name in the config file: `['clients', 0, 'persona']`. */
  readonly path: readonly [string, ...(string | number)[]]
  /** What is wrong with it, without the name of the setting. */
  readonly reason: string

  constructor(path: readonly [string, ...(string | number)[]], reason: string, setting: string) {
    super(`${setting}: ${reason}`)
    this.path = path
    this.reason = reason
  }
}

/**
 * What is settled for all tenants, the defaults filled in.
 * @throws SourceError for a bad persona file, UnknownNameError for a persona or outcome that does not exist
 */
export async function settleWorld(options: SandboxOptions): Promise<WorldSettings> {
  const { requestUri, code, idToken, accessToken } = { ...DEFAULT_LIFETIMES, ...options.lifetimes }
  const settings: WorldSettings = {
    profile: options.profile ?? 'spec',
    lifetimes: {
      requestUri: requestUri ?? DEFAULT_LIFETIMES.requestUri,
      code: code ?? DEFAULT_LIFETIMES.code,
      idToken: idToken ?? DEFAULT_LIFETIMES.idToken,
      accessToken: accessToken ?? DEFAULT_LIFETIMES.accessToken,
    },
    vocabulary: {
      provenanceAllowlist: options.provenanceAllowlist ?? DEFAULT_PROVENANCE_ALLOWLIST,
      platforms: options.platforms ?? DEFAULT_PLATFORMS,
    },
    certifications: options.certifications ?? {},
    clients: options.clients ?? [],
    builtinClient: options.builtinClient ?? true,
    personas: await loadPersonas(options.personas),
    defaults: { persona: options.persona, outcome: options.outcome },
    seed: options.seed,
  }
  checkDeciders(settings)
  return settings
}

/** Credentials of the client to use: the built-in one, or the first that is declared. */
export function shownClient({ builtinClient, clients }: WorldSettings): { clientId: string; clientSecret: string } {
  const { clientId, clientSecret } = (builtinClient ? undefined : clients[0]) ?? BUILTIN_CLIENT
  return { clientId, clientSecret }
}

/** Names that would decide must exist: otherwise every request would fail. */
function checkDeciders({ personas, defaults, clients }: WorldSettings): void {
  const names = personas.map(({ name }) => name)
  const wanted = [
    { path: ['persona'] as const, setting: 'persona', name: defaults.persona },
    ...clients.map(({ clientId, persona }, index) => ({
      path: ['clients', index, 'persona'] as const,
      setting: `client ${clientId}: persona`,
      name: persona,
    })),
  ]
  for (const { path, setting, name } of wanted) {
    if (name !== undefined && !names.includes(name)) {
      throw new UnknownNameError(path, unknownName('persona', name, names), setting)
    }
  }
  const { outcome } = defaults
  const outcomes = OUTCOMES.map((row) => row.name)
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    const reason = unknownName('outcome', outcome, outcomes)
    throw new UnknownNameError(['outcome'], reason, 'outcome')
  }
}
