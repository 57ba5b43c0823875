import * as z from 'zod'
import { type Claims, claimsSchema } from '../../service/age/claims.ts'
import { isJsonObject } from '../../service/age/json-object.ts'
import { SERVER_CALLS } from '../../service/oidc/endpoints.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import { quote } from '../../service/text/message-parts.ts'
import { checkAgainst, problemLines } from '../../service/text/schema-problems.ts'
import { ConfigError } from '../files/config-error.ts'
import { CATALOGUE_VERSION } from '../outcomes/catalogue.ts'

/** The version of the shape below; every new shape gets a new number. */
export const COVERAGE_FORMAT = 1

/** Distinct claims that are counted; later ones are only numbered in `omitted`. */
export const MAX_CLAIMS = 100
/**
 * Characters of all claims that coverage names, counted once for each threshold; beyond this limit
 * further claims are not counted.
 */
const MAX_NAMED_CHARACTERS = 2 * 1024 * 1024
/** Names of tests beside one count. */
export const MAX_TESTS = 20
/** Characters in the name of a test. */
export const MAX_TEST_NAME = 300

const hitsSchema = z.object({
  count: z.int().min(0).describe('How often it was delivered'),
  tests: z
    .array(z.string())
    .max(MAX_TESTS)
    .optional()
    .describe(`The first ${MAX_TESTS} tests that it was delivered to; absent without a name`),
})

/** How often something was delivered, and to which tests. */
export type Hits = z.infer<typeof hitsSchema>

export type HitsTable = Record<string, Hits>
export type SidesTable = Record<string, HitsTable>

const table = () => z.record(z.string(), hitsSchema)
const sides = () => z.record(z.string(), table())

export const ANSWER_SIDES = ['true', 'false'] as const
export const FILTER_SIDES = ['passed', 'failed'] as const
export const BOUNDARY_SIDES = ['today', 'tomorrow'] as const
export const CALL_SIDES = ['success', 'refusal', 'failure', 'timeout'] as const

/** What requests of an app can ask for. */
export const ASKED = [
  'use',
  'fragment',
  'query',
  'form_post',
  'can_create',
  'no_can_create',
  'upgrade',
  'create',
] as const
export type Asked = (typeof ASKED)[number]

/** The ways in which a Use or Create flow ends for the client. */
export const COUNTED_ENDINGS = [
  'verified',
  'none_met',
  'code_issued',
  'create_requested',
  'access_denied',
  'other_error',
  'created',
  'create_denied',
  'request_uri_expired',
] as const
export type EndingName = (typeof COUNTED_ENDINGS)[number]

const claimsCountersSchema = z.object({
  claims: claimsSchema.describe(
    'The first of those that count as the same: they differ in no more than verified_after',
  ),
  thresholds: sides().describe(`By threshold ("18"): ${ANSWER_SIDES.join(', ')}`),
  filters: sides().describe(
    `By the member of the claims (allowed_methods, provenance.denied, overrides.id_doc_scan.attributes): ${FILTER_SIDES.join(', ')}`,
  ),
  boundaries: sides().describe(`By threshold, a birthday: ${BOUNDARY_SIDES.join(', ')}`),
})

/** What was delivered to one distinct `claims`. */
export type ClaimsCounters = z.infer<typeof claimsCountersSchema>

/**
 * What was delivered to a client. Unknown members are dropped, so that this schema also reads a
 * file with derived members.
 */
export const countersSchema = z.object({
  format: z.literal(COVERAGE_FORMAT),
  version: z.string().describe('Of agekey-sandbox'),
  catalogue: z.string().describe('Version of the catalogue of outcomes'),
  claims: z.array(claimsCountersSchema).describe('Each distinct claims object'),
  asked: table().describe(`What the requests asked for: ${ASKED.join(', ')}`),
  endings: table().describe(`How flows ended for the client: ${COUNTED_ENDINGS.join(', ')}`),
  rows: table().describe('By flow and name of an outcome: use/id_token.expired'),
  calls: sides().describe(
    `Calls from server to server, by endpoint (${SERVER_CALLS.join(', ')}): ${CALL_SIDES.join(', ')}`,
  ),
  omitted: z
    .object({ claims: z.int().min(0) })
    .describe(
      `Answers to further distinct claims than coverage names (at most ${MAX_CLAIMS}), which are not counted`,
    ),
})

export type CoverageCounters = z.infer<typeof countersSchema>

/** Creates empty counters. @param version of agekey-sandbox */
export const emptyCounters = (version: string): CoverageCounters => ({
  format: COVERAGE_FORMAT,
  version,
  catalogue: CATALOGUE_VERSION,
  claims: [],
  asked: {},
  endings: {},
  rows: {},
  calls: {},
  omitted: { claims: 0 },
})

/**
 * A key that is the same for claims which differ only in the order of members and in the instants
 * of `verified_after`.
 */
export function claimsKey(claims: Claims): string {
  return JSON.stringify(claims, (name, value: unknown) => {
    if (name === 'verified_after') return true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(
      Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  })
}

/** Whether further claims fit beside `counted`; accepted claims take room. */
export function claimsRoom(counted: readonly ClaimsCounters[]): (claims: Claims) => boolean {
  const charactersOf = (claims: Claims) =>
    claims.age_thresholds.length * JSON.stringify(claims).length
  let count = counted.length
  let characters = counted.reduce((sum, { claims }) => sum + charactersOf(claims), 0)
  return (claims) => {
    const more = charactersOf(claims)
    if (count >= MAX_CLAIMS || characters + more > MAX_NAMED_CHARACTERS) return false
    count++
    characters += more
    return true
  }
}

/**
 * Adds counts and unites names of tests. The order of `parts` does not matter for counts.
 * @param version of agekey-sandbox
 */
export const mergeCoverage = (
  parts: readonly CoverageCounters[],
  version: string,
): CoverageCounters => parts.reduce(addCounters, emptyCounters(version))

const addCounters = (one: CoverageCounters, other: CoverageCounters): CoverageCounters => ({
  ...one,
  ...mergeClaims(one, other),
  asked: mergeHits(one.asked, other.asked),
  endings: mergeHits(one.endings, other.endings),
  rows: mergeHits(one.rows, other.rows),
  calls: mergeSides(one.calls, other.calls),
})

type ClaimsPart = Pick<CoverageCounters, 'claims' | 'omitted'>

function mergeClaims(sum: ClaimsPart, part: ClaimsPart): ClaimsPart {
  const byKey = new Map(sum.claims.map((entry) => [claimsKey(entry.claims), entry]))
  const hasRoom = claimsRoom(sum.claims)
  let omitted = sum.omitted.claims + part.omitted.claims
  for (const entry of part.claims) {
    const key = claimsKey(entry.claims)
    const same = byKey.get(key)
    if (same || hasRoom(entry.claims)) byKey.set(key, same ? mergeEntries(same, entry) : entry)
    else omitted++
  }
  return { claims: [...byKey.values()], omitted: { claims: omitted } }
}

const mergeEntries = (one: ClaimsCounters, other: ClaimsCounters): ClaimsCounters => ({
  claims: one.claims,
  thresholds: mergeSides(one.thresholds, other.thresholds),
  filters: mergeSides(one.filters, other.filters),
  boundaries: mergeSides(one.boundaries, other.boundaries),
})

const mergeSides = (one: SidesTable, other: SidesTable): SidesTable =>
  mergeTables(one, other, mergeHits)

const mergeHits = (one: HitsTable, other: HitsTable): HitsTable => mergeTables(one, other, addHits)

function addHits(one: Hits, other: Hits): Hits {
  const tests = [...new Set([...(one.tests ?? []), ...(other.tests ?? [])])].slice(0, MAX_TESTS)
  return { count: one.count + other.count, ...(tests.length > 0 ? { tests } : {}) }
}

function mergeTables<Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  merge: (one: Value, other: Value) => Value,
): Record<string, Value> {
  const merged = new Map(Object.entries(one))
  for (const [name, value] of Object.entries(other)) {
    const same = merged.get(name)
    merged.set(name, same === undefined ? value : merge(same, value))
  }
  return Object.fromEntries(merged)
}

/**
 * Reads the counters of a coverage file; what is derived in it is not read.
 * @throws ConfigError with one line
 */
export function parseCoverage(text: string, file: string): CoverageCounters {
  const json = parseJson(text)
  if (!json.ok) throw noCoverage(file, `it is not JSON: ${json.reason}`)
  const { value } = json
  if (!looksLikeCoverage(value)) {
    // Made here: it loads tables of languages, which takes 10 ms.
    const missing = new Intl.ListFormat('en-GB').format(missingIn(value))
    throw noCoverage(file, `it has no ${missing}`)
  }
  if (value['format'] !== COVERAGE_FORMAT) {
    const by =
      typeof value['version'] === 'string'
        ? `, written by agekey-sandbox ${quote(value['version'])}`
        : ''
    throw ConfigError.of(
      `${file}: it has format ${quote(JSON.stringify(value['format']) ?? '')}${by}; this version reads format ${COVERAGE_FORMAT}: run the tests again with this version, or read it with the version that wrote it`,
    )
  }
  const checked = checkAgainst(countersSchema, value)
  if (checked.kind === 'valid') return checked.value
  const [first] = problemLines(checked, 'the value')
  throw ConfigError.of(`${file}: it is a damaged coverage file: ${first}; run the tests again`)
}

/** What a text holds that is a coverage file of any format; `undefined` for another text. */
export function coverageIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = parseJson(text)
  return json.ok && looksLikeCoverage(json.value) ? json.value : undefined
}

/** By these a coverage file is known, whatever its format. */
const MEMBERS = ['format', 'claims', 'rows']

const missingIn = (value: unknown) =>
  MEMBERS.filter((name) => !isJsonObject(value) || !(name in value))

const looksLikeCoverage = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && missingIn(value).length === 0

const noCoverage = (file: string, reason: string) =>
  ConfigError.of(
    `${file}: it is no coverage file: ${reason}; name a file that the setting coverage_file wrote`,
  )
