import { type Claims, parseClaims } from '../../../service/age/claims.ts'
import { isJsonObject, type JsonObject } from '../../../service/age/json-object.ts'
import { ASSURANCE_LEVELS } from '../../../service/age/vocabulary.ts'
import type { Provider } from '../../../service/oidc/provider.ts'
import { decodePairs, type Pairs } from '../../../service/oidc/request/parameters.ts'
import { objectOf } from '../../../service/oidc/request/spread-object.ts'
import type { Finding } from '../../../service/oidc/rules/finding.ts'
import { Findings } from '../../../service/oidc/rules/findings.ts'
import { readClaims, readUseParameters } from '../../../service/oidc/use.ts'

/** The pasted text: what the field shows, and the claims unless the service would refuse them. */
export interface Pasted {
  readonly text: string
  readonly claims?: Claims | undefined
  readonly findings: readonly Finding[]
}

/**
 * Reads claims from JSON, from percent-encoded JSON, or from the URL or query of an E1 request, and
 * checks them as E1 does.
 */
export function readPasted(
  pasted: string,
  provider: Pick<Provider, 'profile' | 'vocabulary' | 'policy'>,
): Pasted {
  const findings = new Findings(provider.profile)
  const json = findJson(pasted.trim(), findings)
  const claims = readClaims(json, provider, findings)
  if (findings.refusal || !claims) return { text: pasted, findings: findings.all }
  // For a pasted URL the field shows only its claims, with which the user continues.
  return {
    text: json === pasted.trim() ? pasted : formatClaims(claims),
    claims,
    findings: findings.all,
  }
}

/** @returns `undefined` for a URL or a query without claims */
function findJson(text: string, findings: Findings): string | undefined {
  const query = queryOf(text)
  if (query !== undefined) return readUseParameters(claimsPairs(query), findings).claims
  return /^%7B/i.test(text) ? (new URLSearchParams(`claims=${text}`).get('claims') ?? text) : text
}

/**
 * The parameters for `claims`: `claims` itself, or parts such as `claims[age_thresholds][]`, into
 * which some libraries split an object.
 */
const claimsPairs = (query: string): Pairs =>
  decodePairs(query).filter(
    ([name]) => name === 'claims' || objectOf(name, () => false) === 'claims',
  )

function queryOf(text: string): string | undefined {
  if (/^https?:\/\//i.test(text)) return text.split('#', 1)[0]?.split('?').slice(1).join('?')
  return /^\??[a-z_]+(?:[[.%][^=&]*)?=/.test(text) ? text.replace(/^\?/, '') : undefined
}

/** Formats claims as JSON with each member, and each list, on one line. */
export function formatClaims(claims: Claims): string {
  return JSON.stringify(claims, undefined, 2).replace(
    /\[\n\s*([^[\]{}]*?)\n\s*\]/g,
    (_, items: string) => `[${items.replace(/\n\s*/g, ' ')}]`,
  )
}

/** The claims with one filter changed. */
export interface Change {
  /** The change in words, also in the URL: `without verified_after`. */
  readonly label: string
  readonly claims: Claims
}

/** Maximum number of changes on the page. */
const MAX_CHANGES = 16

/**
 * The changes that the page offers: each filter removed, and each usual filter added. Changes that
 * give invalid claims are left out.
 * @param now milliseconds since the UNIX epoch
 */
export function changesOf(claims: Claims, now: number): Change[] {
  const changes: Change[] = []
  for (const { label, value } of [...removals(claims), ...additions(claims, now)]) {
    const { claims: changed } = parseClaims(value)
    if (changed && changes.length < MAX_CHANGES) changes.push({ label, claims: changed })
  }
  return changes
}

interface Attempt {
  readonly label: string
  readonly value: unknown
}

/**
 * Removes each filter in turn. The paths are ordered from outer to inner filters: `['overrides',
 * 'id_doc_scan', 'min_age']`.
 */
function removals(claims: Claims): Attempt[] {
  const { provenance = {}, overrides = {} } = claims
  const places = [
    ...['allowed_methods', 'verified_after', 'iso_27566_1'].map((name) => [name]),
    ...Object.keys(provenance).map((name) => ['provenance', name]),
    ...Object.entries(overrides).flatMap(([method, override]) => {
      const members = Object.keys(override ?? {})
      const each = members.length > 1 ? members.map((member) => ['overrides', method, member]) : []
      return [['overrides', method], ...each]
    }),
  ]
  return places
    .filter((place) => valueAt(claims, place) !== undefined)
    .map((place) => ({ label: `without ${inWords(place)}`, value: without(claims, place) }))
}

const inWords = ([root = '', inner = '', member]: readonly string[]) => {
  const outer = inner === '' ? root : `${root}.${inner}`
  return member === undefined ? outer : `${member} of ${outer}`
}

function additions(claims: Claims, now: number): Attempt[] {
  const {
    allowed_methods: methods,
    verified_after: after,
    iso_27566_1: level,
    overrides = {},
  } = claims
  const yearAgo = new Date(now - 365 * 86_400_000).toISOString().slice(0, 10)
  const documents = ['national_id_number', 'digital_credential', 'id_doc_scan']
  const attempts: (Attempt | false)[] = [
    after === undefined && {
      label: `with verified_after ${yearAgo}`,
      value: { ...claims, verified_after: yearAgo },
    },
    methods === undefined && {
      label: 'with documents only',
      value: { ...claims, allowed_methods: documents },
    },
    ...ASSURANCE_LEVELS.filter(
      (other) => other !== level && (level !== undefined || other === 'effective'),
    ).map((other) => ({
      label: `with iso_27566_1 ${other}`,
      value: { ...claims, iso_27566_1: other },
    })),
    overrides.facial_age_estimation === undefined && {
      label: 'with min_age 25 of overrides.facial_age_estimation',
      value: { ...claims, overrides: { ...overrides, facial_age_estimation: { min_age: 25 } } },
    },
  ]
  return attempts.filter((attempt) => attempt !== false)
}

function valueAt(value: unknown, place: readonly string[]): unknown {
  const [name, ...inner] = place
  if (name === undefined) return value
  return isJsonObject(value) ? valueAt(value[name], inner) : undefined
}

/** Copies a value without the member at a path, and without objects that become empty. */
function without(value: JsonObject, [name = '', ...inner]: readonly string[]): JsonObject {
  const { [name]: member, ...others } = value
  if (inner.length === 0 || !isJsonObject(member)) return others
  const rest = without(member, inner)
  return Object.keys(rest).length === 0 ? others : { ...value, [name]: rest }
}
