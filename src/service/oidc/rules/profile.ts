/**
 * A named set of constants and tolerances. `spec` follows the specification exactly. `agekey` uses
 * the brand word of the live service and tolerates what its published clients need.
 */
export const PROFILES = ['spec', 'agekey'] as const
export type Profile = (typeof PROFILES)[number]

/** Brand words: part of the upgrade scope, the upgrade path and the `request_uri`. */
export const BRANDS = ['svc', 'agekey'] as const
export type Brand = (typeof BRANDS)[number]

/** The brand word of a profile. */
export const BRAND: Readonly<Record<Profile, Brand>> = { spec: 'svc', agekey: 'agekey' }

/**
 * Names the setting that selects a brand word: the profile, or the brand word itself if a reading
 * overrides the brand word of the profile.
 */
export function describeBrand(
  word: Brand,
  { profile, brand }: { profile: Profile; brand: Brand },
): string {
  const owner = brand === BRAND[profile] ? PROFILES.find((one) => BRAND[one] === word) : undefined
  return owner === undefined ? `brand word ${word}` : `profile ${owner}`
}

/**
 * The scope that requests a code for an upgrade. The code is issued when every threshold is false.
 */
export const upgradeScope = (brand: Brand) => `${brand}.upgrade`

/** Spellings of the upgrade scope in older documentation of the live service. */
export const OLDER_UPGRADE_SCOPES: readonly string[] = ['agekey_upgrade', 'agekey-upgrade']

/** E2: the prefix of the identifier in a `request_uri`. */
export const requestUriPrefix = (brand: Brand) => `urn:${brand}:request:`
