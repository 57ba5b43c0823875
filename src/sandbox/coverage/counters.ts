import * as z from 'zod'
import { type Claims, claimsSchema } from '../../age/claims.ts'
import { SERVER_CALLS } from '../../oidc/endpoints.ts'
import { CATALOGUE_VERSION } from '../outcomes/catalogue.ts'

/** The version of the shape below; every new shape gets a new number. */
export const COVERAGE_FORMAT = 1

/** Distinct claims that are counted; later ones are only numbered in `omitted`. */
export const MAX_CLAIMS = 100
/** Characters of all claims that coverage names, counted once for each threshold; beyond this limit further claims are not counted. */
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

/** What was delivered to a client. Unknown members are dropped, so that this schema also reads a file with derived members. */
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
    .describe(`Answers to further distinct claims than coverage names (at most ${MAX_CLAIMS}), which are not counted`),
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

/** A key that is the same for claims which differ only in the order of members and in the instants of `verified_after`. */
export function claimsKey(claims: Claims): string {
  return JSON.stringify(claims, (name, value: unknown) => {
    if (name === 'verified_after') return true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

/** Whether further claims fit beside `counted`; accepted claims take room. */
export function claimsRoom(counted: readonly ClaimsCounters[]): (claims: Claims) => boolean {
  const charactersOf = (claims: Claims) => claims.age_thresholds.length * JSON.stringify(claims).length
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
