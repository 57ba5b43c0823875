import { didYouMean } from './age/nearest.ts'
import { DEFAULT_LIFETIMES, DEFAULT_PLATFORMS, DEFAULT_PROVENANCE_ALLOWLIST } from './oidc/decisions.ts'
import { BUILTIN_CLIENT } from './sandbox/clients.ts'
import { loadPersonas } from './sandbox/load-personas.ts'
import { OUTCOMES } from './sandbox/outcomes.ts'
import type { WorldSettings } from './sandbox/world.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/**
 * What is settled for all tenants, the defaults filled in.
 * @throws SourceError or Error with a clear line: a bad persona file, a persona or outcome that does not exist
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
    { by: 'persona', name: defaults.persona },
    ...clients.map(({ clientId, persona }) => ({ by: `client ${clientId}: persona`, name: persona })),
  ]
  for (const { by, name } of wanted) {
    if (name !== undefined && !names.includes(name)) {
      throw new Error(`${by}: there is no persona "${name}".${didYouMean(name, names)}`)
    }
  }
  const { outcome } = defaults
  const outcomes = OUTCOMES.map((row) => row.name)
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw new Error(`outcome: there is no outcome "${outcome}".${didYouMean(outcome, outcomes)}`)
  }
}
