import { OLDER_UPGRADE_SCOPES, PROFILES, type Profile, upgradeScope } from '../profile.ts'

/** What a `scope` asks for. */
interface Scope {
  /** `openid` is there, and no word but the upgrade scope beside it. */
  readonly isKnown: boolean
  readonly upgrade: boolean
  /** The older spellings of the upgrade scope that it uses. */
  readonly olderWords: readonly string[]
}

/** Decision: a scope is a set of words (RFC 6749 section 3.3). Their order, repetition and extra blanks do not matter. */
export function readScope(scope: string, profile: Profile): Scope {
  const words = new Set(scope.split(' ').filter((word) => word !== ''))
  const olderWords = OLDER_UPGRADE_SCOPES.filter((word) => words.has(word))
  const upgradeWords = [upgradeScope(profile), ...olderWords]
  return {
    isKnown: words.has('openid') && [...words].every((word) => word === 'openid' || upgradeWords.includes(word)),
    upgrade: upgradeWords.some((word) => words.has(word)),
    olderWords,
  }
}

/** A hint to the profile whose upgrade scope stands in `scope`; empty when it is none of another profile. */
export function otherProfile(scope: string, profile: Profile): string {
  const words = scope.split(' ')
  const other = PROFILES.find((one) => one !== profile && words.includes(upgradeScope(one)))
  if (other === undefined) return ''
  return `. ${upgradeScope(other)} is the upgrade scope of profile ${other}, and this sandbox runs with profile ${profile}: start it with --profile ${other}`
}
