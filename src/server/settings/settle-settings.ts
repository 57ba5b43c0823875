import { redirectUriWarnings } from '../../sandbox/addresses/addresses.ts'
import { BUILTIN_CLIENT } from '../../sandbox/clients/clients.ts'
import { ConfigError, type SettingPath } from '../../sandbox/files/config-error.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { readingsOf } from '../../sandbox/readings/readings.ts'
import { type SandboxSettings, tenantValuesOf } from '../../sandbox/tenants/shared-parts.ts'
import {
  DEFAULT_LIFETIMES,
  DEFAULT_PLATFORMS,
  DEFAULT_PROVENANCE_ALLOWLIST,
} from '../../service/oidc/policy.ts'
import { camelCased } from '../../service/text/camel-case.ts'
import { unknownName } from '../../service/text/message-parts.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/**
 * Converts options to the settings that all tenants share, with defaults.
 * @param running the options of the running sandbox: its persona folders may be empty now, because
 * files were deleted
 * @throws ConfigError for a bad persona file, or an unknown persona or outcome
 */
export async function settleSettings(
  options: SandboxOptions,
  running: Pick<SandboxOptions, 'personas'> = {},
): Promise<SandboxSettings> {
  const settings: SandboxSettings = {
    profile: options.profile ?? 'spec',
    lifetimes: { ...DEFAULT_LIFETIMES, ...(options.lifetimes && camelCased(options.lifetimes)) },
    vocabulary: {
      provenanceAllowlist: options.provenanceAllowlist ?? DEFAULT_PROVENANCE_ALLOWLIST,
      platforms: options.platforms ?? DEFAULT_PLATFORMS,
    },
    certifications: options.certifications ?? {},
    clients: options.clients ?? [],
    builtinClient: options.builtinClient ?? true,
    redirectUris: options.redirectUris ?? [],
    personas: await loadPersonas(options.personas, running.personas),
    defaults: { persona: options.persona, outcome: options.outcome },
    ...tenantValuesOf(options),
    readings: readingsOf(options.readings),
    seed: options.seed,
  }
  checkDeciders(settings)
  checkRedirectUris(settings)
  return settings
}

/** Advice on valid settings, a sentence each. */
export function warningsOf({
  builtinClient,
  redirectUris,
  clients,
}: SandboxSettings): readonly string[] {
  const noClient =
    'clients: there is none, so that every request is refused; declare one or keep the built-in client'
  const builtin = { clientId: BUILTIN_CLIENT.clientId, redirectUris }
  return [
    ...(builtinClient || clients.length > 0 ? [] : [noClient]),
    ...redirectUriWarnings([builtin, ...clients]),
  ]
}

/**
 * The credentials that pages show: the built-in client or, without it, the first declared client.
 */
export function shownClient({ builtinClient, clients }: SandboxSettings): {
  clientId: string
  clientSecret: string
} {
  const { clientId, clientSecret } = (builtinClient ? undefined : clients[0]) ?? BUILTIN_CLIENT
  return { clientId, clientSecret }
}

/**
 * Secrets to mask: the control token, and the password of the store, decoded and as written in its
 * URL.
 */
export function processSecrets({ controlToken = '', store = '' }: SandboxOptions): string[] {
  if (!URL.canParse(store)) return [controlToken]
  const { password, searchParams } = new URL(store)
  // The URL of a Unix socket has the password in its query.
  const decoded =
    searchParams.get('password') ??
    new URLSearchParams(`p=${password.replaceAll('+', '%2B')}`).get('p')
  return [controlToken, password, decoded ?? '', encodeURIComponent(decoded ?? '')]
}

/** Checks that default personas and outcomes exist; otherwise every request would fail. */
function checkDeciders({ personas, defaults, clients }: SandboxSettings): void {
  const names = personas.map(({ name }) => name)
  checkName('persona', defaults.persona, { known: names, path: ['persona'], label: 'persona' })
  for (const [index, { clientId, persona }] of clients.entries()) {
    const label = `client ${clientId}: persona`
    checkName('persona', persona, { known: names, path: ['clients', index, 'persona'], label })
  }
  const outcomes = [...new Set(OUTCOMES.map(({ name }) => name))]
  checkName('outcome', defaults.outcome, { known: outcomes, path: ['outcome'], label: 'outcome' })
}

/** Refuses redirect URIs for a removed built-in client. */
function checkRedirectUris({ builtinClient, redirectUris }: SandboxSettings): void {
  const [first] = redirectUris
  if (builtinClient || first === undefined) return
  throw ConfigError.ofSetting(['redirect_uris'], {
    label: 'redirectUris',
    reason: `${first} would be a redirect URI of the built-in client, which builtin_client: false removes; declare it under redirect_uris of a client, or keep the built-in client`,
  })
}

function checkName(
  kind: string,
  name: string | undefined,
  { known, path, label }: { known: readonly string[]; path: SettingPath; label: string },
): void {
  if (name === undefined || known.includes(name)) return
  throw ConfigError.ofSetting(path, { label, reason: unknownName(kind, name, known) })
}
