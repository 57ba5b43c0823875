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
 * What a `scope` asks for. Decision: a scope is a set of words (RFC 6749 section 3.3). Their order,
 * repetition and extra blanks do not matter.
 */
export function readScope(scope: string, brand: Brand) {
  const words = new Set(scope.split(' ').filter((word) => word !== ''))
  const olderWords = OLDER_UPGRADE_SCOPES.filter((word) => words.has(word))
  const upgradeWords = [upgradeScope(brand), ...olderWords]
  return {
    /** `openid` is there, and no word but the upgrade scope beside it. */
    isKnown:
      words.has('openid') &&
      [...words].every((word) => word === 'openid' || upgradeWords.includes(word)),
    upgrade: upgradeWords.some((word) => words.has(word)),
    /** The older spellings of the upgrade scope that it uses. */
    olderWords,
  }
}

/**
 * A hint to what has the upgrade scope that stands in `scope`; empty when it is that of no other
 * brand word.
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
