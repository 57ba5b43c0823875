/**
 * A named set of constants and tolerances: `spec` is the specification to the letter, `agekey` the live service's
 * brand word and the deviations that its published clients need.
 */
export const PROFILES = ['spec', 'agekey'] as const
export type Profile = (typeof PROFILES)[number]

/** The brand word of a profile: it stands in the upgrade scope, the upgrade path and the request reference. */
export const BRAND: Readonly<Record<Profile, string>> = { spec: 'svc', agekey: 'agekey' }

/** The scope that asks for a code to upgrade with when every threshold is false. */
export const upgradeScope = (profile: Profile) => `${BRAND[profile]}.upgrade`

/** Spellings of the upgrade scope in older documentation of the live service. */
export const OLDER_UPGRADE_SCOPES: readonly string[] = ['agekey_upgrade', 'agekey-upgrade']

/** E2: what stands before the identifier in a `request_uri`. */
export const requestUriPrefix = (profile: Profile) => `urn:${BRAND[profile]}:request:`
