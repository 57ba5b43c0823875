import { clientSettingsOf } from '../sandbox/clients/client-schema.ts'
import type { ConfigValues } from './config-schema.ts'

/** The settings of the config file under the names of the options of `createSandbox`. */
export function sandboxSettings(values: ConfigValues, { stateDir }: { readonly stateDir: string | undefined }) {
  const { lifetimes, clients, personas } = values
  return defined({
    port: values.port,
    host: values.host,
    baseUrl: values.base_url,
    basePath: values.base_path,
    internalUrl: values.internal_url,
    trustHost: values.trust_host,
    trustProxy: values.trust_proxy,
    https: values.https,
    httpsCert: values.https_cert,
    httpsKey: values.https_key,
    profile: values.profile,
    signingAlg: values.signing_alg,
    clients: clients?.map(clientSettingsOf),
    builtinClient: values.builtin_client,
    provenanceAllowlist: values.provenance_allowlist,
    platforms: values.platforms,
    certifications: values.certifications,
    lifetimes: lifetimes && lifetimeSettings(lifetimes),
    personas: personas === undefined ? undefined : [personas].flat(),
    persona: values.persona,
    outcome: values.outcome,
    seed: values.seed,
    stateDir,
    keys: values.keys,
    store: values.store,
    controlToken: values.control_token,
  })
}

function lifetimeSettings(lifetimes: NonNullable<ConfigValues['lifetimes']>) {
  return defined({
    requestUri: lifetimes.request_uri,
    code: lifetimes.code,
    idToken: lifetimes.id_token,
    accessToken: lifetimes.access_token,
  })
}

/** Leaves out what is undefined: an option that is not given differs from one given as undefined. */
function defined<T extends object>(members: T) {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined)
  // The filter proves it; the standard library's types forget which keys an object had.
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
