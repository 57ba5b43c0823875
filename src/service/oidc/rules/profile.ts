/**
 * A named set of constants and tolerances: `spec` is the specification to the letter, `agekey` the
 * live service's brand word and the deviations that its published clients need.
 */
export const PROFILES = ['spec', 'agekey'] as const
export type Profile = (typeof PROFILES)[number]

/** The words that stand in the upgrade scope, the upgrade path and the request reference. */
export const BRANDS = ['svc', 'agekey'] as const
export type Brand = (typeof BRANDS)[number]

/** The brand word of a profile. */
export const BRAND: Readonly<Record<Profile, Brand>> = { spec: 'svc', agekey: 'agekey' }

/**
 * What gives a brand word in a message: its profile or, where a reading replaces that of the
 * profile, the word itself.
 */
export function describeBrand(
  word: Brand,
  { profile, brand }: { profile: Profile; brand: Brand },
): string {
  const owner = brand === BRAND[profile] ? PROFILES.find((one) => BRAND[one] === word) : undefined
  return owner === undefined ? `brand word ${word}` : `profile ${owner}`
}

/** The scope that asks for a code to upgrade with when every threshold is false. */
export const upgradeScope = (brand: Brand) => `${brand}.upgrade`

/** Spellings of the upgrade scope in older documentation of the live service. */
export const OLDER_UPGRADE_SCOPES: readonly string[] = ['agekey_upgrade', 'agekey-upgrade']

/** E2: what stands before the identifier in a `request_uri`. */
export const requestUriPrefix = (brand: Brand) => `urn:${brand}:request:`
