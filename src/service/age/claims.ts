import * as z from 'zod'
import { foundInstead } from '../text/message-parts.ts'
import { REQUIREMENT_SCHEMAS } from './attributes.ts'
import { INSTANT_FORMS, parseCalendarDate, parseInstant, zoneAdvice } from './calendar.ts'
import { explainCoreClaims } from './core-claims.ts'
import { bounded, breaks, type Issue, issue, issuesOf } from './explain.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'
import { methodSynonym } from './method-synonyms.ts'
import { byMethod, METHOD_NAMES, METHODS, type Method } from './methods.ts'
import { levelSchema, methodSchema, yearsSchema } from './signal-schema.ts'
import { PROVENANCE_PATTERN, type Vocabulary } from './vocabulary.ts'

/**
 * Rules about the whole list of thresholds and about the form of a time zone. At least one profile
 * treats them as advice.
 */
const NOT_ALWAYS_REFUSED: ReadonlySet<string> = new Set(['CLM-04', 'CLM-05', 'CLM-06', 'CLM-22'])

// Decision: every list in the claims has at most 100 entries, which bounds the cost of a request.
const MAX_ENTRIES = 100

const MAX_PATTERNS = 10
const MAX_PATTERN = 100

const verifiedAfterSchema = z
  .string({ error: breaks('CLM-08', `must be ${INSTANT_FORMS}`) })
  .refine((text) => parseInstant(text) !== undefined)
  .meta({ description: 'ISO 8601 date or date-time; only later verifications are accepted' })

const patternSchema = z
  .string({ error: breaks('CLM-10', 'must be a provenance pattern such as /provider/*') })
  .max(MAX_PATTERN, { error: breaks('CLM-12', `must be at most ${MAX_PATTERN} characters`) })
  .regex(PROVENANCE_PATTERN, {
    error: breaks(
      'CLM-10',
      'must begin with / and have lowercase letters, digits and underscores between slashes, with /* only at the end',
    ),
  })

/**
 * `max` would skip the patterns of a list that is too long: their mistakes would appear only after
 * the list is shortened.
 */
const patternsSchema = z
  .array(patternSchema, { error: breaks('CLM-09', 'must be an array of patterns') })
  .refine((patterns) => patterns.length <= MAX_PATTERNS, {
    error: breaks('CLM-11', `must have at most ${MAX_PATTERNS} patterns`),
    when: ({ value }) => Array.isArray(value),
  })
  .meta({ maxItems: MAX_PATTERNS })

function overrideSchema(method: Method) {
  const requirements = Object.entries(METHODS[method].attributes).map(
    ([name, { kind }]) => [name, REQUIREMENT_SCHEMAS[kind].optional()] as const,
  )
  const ages = z.array(yearsSchema('CLM-16'), {
    error: breaks('CLM-16', 'must be an array of integers from 0 to 150'),
  })
  const schema = z.strictObject(
    {
      min_age: yearsSchema('CLM-15').optional(),
      age_thresholds: ages.optional().describe('One for each threshold of the claims'),
      verified_after: verifiedAfterSchema.optional(),
      iso_27566_1: levelSchema.optional(),
      attributes: z
        .strictObject(Object.fromEntries(requirements), {
          error: breaks('CLM-18', `must be an object of requirements on attributes of ${method}`, {
            members: `Attributes of ${method}`,
          }),
        })
        .optional()
        .describe('The boolean that an attribute must equal, or the list that must contain it'),
    },
    {
      error: breaks('CLM-14', `must be an object of requirements on ${method}`, {
        unknown: 'CLM-01',
      }),
    },
  )
  return method === 'facial_age_estimation'
    ? schema.meta({ oneOf: [{ required: ['min_age'] }, { required: ['age_thresholds'] }] })
    : schema
}

/**
 * The claims object that a relying party sends (specification, "Claims object"), with its wire
 * names. The schema checks the rules about single members; `parseClaims` adds the rules between
 * members.
 */
export const claimsSchema = z.strictObject(
  {
    age_thresholds: z
      .array(yearsSchema('CLM-03'), {
        error: breaks('CLM-02', 'must be a non-empty array of ages'),
      })
      .min(1),
    allowed_methods: z
      .array(methodSchema('CLM-07', METHOD_NAMES), {
        error: breaks('CLM-07', 'must be a non-empty array of method names'),
      })
      .min(1)
      .optional()
      .describe('All methods when absent'),
    verified_after: verifiedAfterSchema.optional(),
    provenance: z
      .strictObject(
        { allowed: patternsSchema.optional(), denied: patternsSchema.optional() },
        {
          error: breaks('CLM-09', 'must be an object with the arrays allowed and denied', {
            unknown: 'CLM-01',
          }),
        },
      )
      .optional()
      .describe('Patterns: `/a/b` matches itself, `/a/*` every path below `/a/`'),
    overrides: z
      .strictObject(
        // Created on first use: the overrides account for most of the schemas.
        byMethod((method) => z.lazy(() => overrideSchema(method)).optional()),
        {
          error: breaks('CLM-14', 'must be an object keyed by method names', {
            members: 'Methods',
            synonym: methodSynonym,
          }),
        },
      )
      .optional(),
    iso_27566_1: levelSchema.optional().describe('The least level of certification'),
  },
  { error: breaks('CLM-01', 'must be a JSON object') },
)

export type Claims = z.infer<typeof claimsSchema>

/**
 * Checks a claims object (parsed JSON) and reports all mistakes at once: CLM-01 to CLM-20 and
 * CLM-22. Without a vocabulary any platform is accepted. `claims` is present unless an issue
 * refuses the request in every profile; CLM-04, CLM-05, CLM-06 and CLM-22 do not.
 */
export function parseClaims(
  value: unknown,
  vocabulary?: Vocabulary,
): { claims?: Claims; issues: Issue[] } {
  // Lengths are checked first, so that the entries of a list that is too long cost nothing.
  const tooLong = longLists(value)
  if (tooLong.length > 0) return { issues: bounded(explainCoreClaims(tooLong, value)) }
  const parsed = claimsSchema.safeParse(value)
  const issues = [
    ...(parsed.success ? [] : issuesOf(parsed.error, 'claims')),
    ...crossFieldIssues(value, vocabulary),
  ]
  const isRefused = issues.some(({ rule }) => !NOT_ALWAYS_REFUSED.has(rule))
  if (parsed.success && issues.length === 0) return { claims: parsed.data, issues }
  const explained = bounded(explainCoreClaims(issues, value))
  return { ...(parsed.success && !isRefused && { claims: parsed.data }), issues: explained }
}

/** Replaces each date in `verified_after` by the last instant of that day. */
export function withDaysEnded({ overrides, ...claims }: Claims): Claims {
  const ended = Object.entries(overrides ?? {}).map(([method, override]) => [
    method,
    override && withDayEnded(override),
  ])
  return { ...withDayEnded(claims), ...(overrides && { overrides: Object.fromEntries(ended) }) }
}

const withDayEnded = <Dated extends { verified_after?: string | undefined }>(
  dated: Dated,
): Dated =>
  dated.verified_after === undefined || parseCalendarDate(dated.verified_after) === undefined
    ? dated
    : { ...dated, verified_after: `${dated.verified_after}T23:59:59.999Z` }

/** Depth of the most deeply nested list: `overrides.METHOD.attributes.NAME`. */
const MAX_LIST_LEVELS = 4

/** Finds lists that are too long: CLM-20, and CLM-11 for patterns. */
function longLists(value: unknown, path: readonly string[] = []): Issue[] {
  if (Array.isArray(value)) {
    if (value.length <= MAX_ENTRIES) return []
    const isPatterns = path[0] === 'provenance' && path.length === 2
    const most = isPatterns ? `${MAX_PATTERNS} patterns` : `${MAX_ENTRIES} entries`
    return [
      issue(
        isPatterns ? 'CLM-11' : 'CLM-20',
        'claims',
        path,
        `must have at most ${most}, has ${value.length}`,
      ),
    ]
  }
  if (!isJsonObject(value) || path.length === MAX_LIST_LEVELS) return []
  return Object.keys(value).flatMap((name) => longLists(value[name], [...path, name]))
}

const MAX_THRESHOLDS = 5

/**
 * Checks the rules between members, and the rules that need the configuration. Each check uses the
 * members that are present, so that one mistake does not hide another.
 */
function crossFieldIssues(claims: unknown, vocabulary: Vocabulary | undefined): Issue[] {
  if (!isJsonObject(claims)) return []
  const { age_thresholds: thresholds, overrides } = claims
  const judge = (method: Method, override: JsonObject): Issue[] => {
    const platforms = vocabulary ? platformIssues(method, override, vocabulary) : []
    return [
      ...lengthIssues(method, override, thresholds),
      ...facialIssues(method, override),
      ...platforms,
    ]
  }
  const judged = isJsonObject(overrides) ? objectsByMethod(overrides) : []
  return [
    ...judged.flatMap(([method, override]) => judge(method, override)),
    // Issues that a profile may tolerate come last: the limit on issues then cuts off no refusal.
    ...thresholdIssues(thresholds),
    ...zoneIssues(claims, []),
    ...judged.flatMap(([method, override]) => zoneIssues(override, ['overrides', method])),
  ]
}

function objectsByMethod(overrides: JsonObject): [method: Method, override: JsonObject][] {
  const found: [Method, JsonObject][] = []
  for (const method of METHOD_NAMES) {
    const override = overrides[method]
    if (isJsonObject(override)) found.push([method, override])
  }
  return found
}

/** CLM-22: advice on `verified_after`, of the claims or of an override. */
function zoneIssues({ verified_after: after }: JsonObject, path: readonly string[]): Issue[] {
  const advice = typeof after === 'string' ? zoneAdvice(after) : undefined
  return advice === undefined
    ? []
    : [issue('CLM-22', 'claims', [...path, 'verified_after'], advice)]
}

function thresholdIssues(thresholds: unknown): Issue[] {
  if (!Array.isArray(thresholds)) return []
  const issues: Issue[] = []
  const seen = new Set<number>()
  let greatest = Number.NEGATIVE_INFINITY
  for (const [index, threshold] of thresholds.entries()) {
    if (!Number.isFinite(threshold)) continue
    const path = ['age_thresholds', index]
    if (seen.has(threshold)) {
      const sentence = `must not repeat ${threshold}, which is age_thresholds[${thresholds.indexOf(threshold)}]`
      issues.push(issue('CLM-04', 'claims', path, sentence))
    } else if (threshold < greatest) {
      const sentence = `must be greater than the one before, is ${threshold} after ${greatest}`
      issues.push(issue('CLM-05', 'claims', path, sentence))
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

function lengthIssues(method: Method, override: JsonObject, root: unknown): Issue[] {
  const own = override['age_thresholds']
  if (!Array.isArray(own) || !Array.isArray(root) || own.length === root.length) return []
  const sentence = `must have one entry for each of the ${root.length} root age_thresholds, has ${own.length}`
  return [issue('CLM-16', 'claims', ['overrides', method, 'age_thresholds'], sentence)]
}

/** CLM-17: facial age estimates have a tolerance, which the relying party must choose. */
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
