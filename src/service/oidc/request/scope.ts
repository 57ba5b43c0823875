import type { Provider } from '../provider.ts'
import {
  BRAND,
  BRANDS,
  type Brand,
  describeBrand,
  OLDER_UPGRADE_SCOPES,
  upgradeScope,
} from '../rules/profile.ts'

/**
 * Parses a `scope`. Decision: a scope is a set of words (RFC 6749 section 3.3); order, repetition
 * and extra spaces do not matter.
 */
export function readScope(scope: string, brand: Brand) {
  const words = new Set(scope.split(' ').filter((word) => word !== ''))
  const olderWords = OLDER_UPGRADE_SCOPES.filter((word) => words.has(word))
  const upgradeWords = [upgradeScope(brand), ...olderWords]
  return {
    /** Whether `scope` has `openid`, and no other word except the upgrade scope. */
    isKnown:
      words.has('openid') &&
      [...words].every((word) => word === 'openid' || upgradeWords.includes(word)),
    upgrade: upgradeWords.some((word) => words.has(word)),
    /** The older spellings of the upgrade scope in `scope`. */
    olderWords,
  }
}

/**
 * A hint when `scope` has the upgrade scope of another brand word: which setting changes the brand
 * word.
 * @returns an empty text for any other scope
 */
export function otherBrand(
  scope: string,
  { profile, brand }: Pick<Provider, 'profile' | 'brand'>,
): string {
  const words = scope.split(' ')
  const other = BRANDS.find((one) => one !== brand && words.includes(upgradeScope(one)))
  if (other === undefined) return ''
  const [its, own] = [other, brand].map((word) => describeBrand(word, { profile, brand }))
  const remedy =
    brand === BRAND[profile] ? `start it with --${its}` : `set the reading brand_word=${other}`
  return `. ${upgradeScope(other)} is the upgrade scope of ${its}, and this sandbox runs with ${own}: ${remedy}`
}
