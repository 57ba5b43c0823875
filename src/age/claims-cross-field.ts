import { foundInstead } from '../text/found.ts'
import { issue } from './explain.ts'
import type { Issue } from './issue.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { METHOD_NAMES, METHODS, type Method } from './methods.ts'
import type { Vocabulary } from './vocabulary.ts'

const MAX_THRESHOLDS = 5

/**
 * The rules of a claims object that relate members to each other or to the configuration. They look at whatever is there,
 * so that a mistake in one member does not hide another one elsewhere.
 */
export function crossFieldIssues(claims: unknown, vocabulary: Vocabulary | undefined): Issue[] {
  if (!isJsonObject(claims)) return []
  return [
    ...overridesOf(claims).flatMap(({ method, override }) => [
      ...lengthIssues(method, override, claims['age_thresholds']),
      ...facialIssues(method, override),
      ...(vocabulary ? platformIssues(method, override, vocabulary) : []),
    ]),
    // Last, because a profile may tolerate them: were they cut off at the limit of an answer, no refusal would be lost.
    ...thresholdIssues(claims['age_thresholds']),
  ]
}

function thresholdIssues(thresholds: unknown): Issue[] {
  if (!Array.isArray(thresholds)) return []
  const issues: Issue[] = []
  const seen = new Set<number>()
  let greatest = Number.NEGATIVE_INFINITY
  for (const [index, threshold] of thresholds.entries()) {
    if (!Number.isFinite(threshold)) continue
    const path = ['age_thresholds', index]
    if (seen.has(threshold))
      issues.push(
        issue(
          'CLM-04',
          'claims',
          path,
          `must not repeat ${threshold}, which is age_thresholds[${thresholds.indexOf(threshold)}]`,
        ),
      )
    else if (threshold < greatest) {
      issues.push(
        issue('CLM-05', 'claims', path, `must be greater than the one before, is ${threshold} after ${greatest}`),
      )
    }
    seen.add(threshold)
    greatest = Math.max(greatest, threshold)
  }
  if (thresholds.length > MAX_THRESHOLDS) {
    const sentence = `must have at most ${MAX_THRESHOLDS} thresholds, has ${thresholds.length}`
    issues.push(issue('CLM-06', 'claims', ['age_thresholds'], sentence))
  }
  return issues
}

function overridesOf({ overrides }: JsonObject) {
  if (!isJsonObject(overrides)) return []
  return METHOD_NAMES.flatMap((method) => {
    const override = overrides[method]
    return isJsonObject(override) ? [{ method, override }] : []
  })
}

function lengthIssues(method: Method, override: JsonObject, root: unknown): Issue[] {
  const own = override['age_thresholds']
  if (!Array.isArray(own) || !Array.isArray(root) || own.length === root.length) return []
  const sentence = `must have one entry for each of the ${root.length} root age_thresholds, has ${own.length}`
  return [issue('CLM-16', 'claims', ['overrides', method, 'age_thresholds'], sentence)]
}

/** Facial estimates are the only method whose tolerance a relying party has to choose. */
function facialIssues(method: Method, override: JsonObject): Issue[] {
  if (method !== 'facial_age_estimation') return []
  const given = ['min_age', 'age_thresholds'].filter((member) => override[member] !== undefined)
  if (given.length === 1) return []
  const sentence = `must give min_age or age_thresholds, ${given.length === 0 ? 'gives neither' : 'gives both'}`
  return [issue('CLM-17', 'claims', ['overrides', method], sentence)]
}

function platformIssues(method: Method, override: JsonObject, vocabulary: Vocabulary): Issue[] {
  const { attributes } = override
  if (!isJsonObject(attributes)) return []
  return Object.entries(METHODS[method].attributes).flatMap(([name, { kind }]) => {
    const accepted = attributes[name]
    if (kind !== 'platform' || !Array.isArray(accepted)) return []
    return accepted.flatMap((platform: unknown, index) => {
      if (typeof platform !== 'string' || vocabulary.platforms.includes(platform)) return []
      const sentence = `must be one of ${vocabulary.platforms.join(', ')}${foundInstead(platform, vocabulary.platforms)}`
      return [issue('CLM-19', 'claims', ['overrides', method, 'attributes', name, index], sentence)]
    })
  })
}
