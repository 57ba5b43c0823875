import { packageVersion } from '../../package-root.ts'
import { type Claims, claimsSchema } from '../../service/age/claims.ts'
import { isJsonObject } from '../../service/age/json-object.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import { quote } from '../../service/text/message-parts.ts'
import { checkAgainst, problemLines } from '../../service/text/schema-problems.ts'
import { ConfigError } from '../files/config-error.ts'
import { NO_ROOM } from '../journal/journal.ts'
import { CATALOGUE_VERSION } from '../outcomes/catalogue.ts'
import { COVERAGE_FORMAT, type SeenByClients, seenByClientsSchema } from './coverage.ts'

/** The prefix of names with a text. The text is the claims object as JSON. */
const CLAIMS = 'claims '

/**
 * Converts the names of a journal to the shape of a coverage file, in alphabetical order.
 * @param names the names with their texts
 */
export function seenByClients(names: ReadonlyMap<string, string>): SeenByClients {
  const claims: Record<string, Claims> = {}
  const others: string[] = []
  for (const [name, text] of names) {
    if (name.startsWith(CLAIMS))
      claims[name.slice(CLAIMS.length)] = claimsSchema.parse(JSON.parse(text))
    else if (name !== NO_ROOM) others.push(name)
  }
  return {
    format: COVERAGE_FORMAT,
    version: packageVersion(),
    catalogue: CATALOGUE_VERSION,
    claims,
    names: others.sort(),
    omitted: names.has(NO_ROOM),
  }
}

/** Merges what several workers have seen. */
export function mergeSeen(parts: readonly SeenByClients[]): SeenByClients {
  const claims = new Map<string, Claims>()
  for (const part of parts)
    for (const [id, object] of Object.entries(part.claims))
      if (!claims.has(id)) claims.set(id, object)
  return {
    format: COVERAGE_FORMAT,
    version: packageVersion(),
    catalogue: CATALOGUE_VERSION,
    claims: Object.fromEntries(claims),
    names: [...new Set(parts.flatMap(({ names }) => names))].sort(),
    omitted: parts.some(({ omitted }) => omitted),
  }
}

/**
 * Reads what clients have seen from a coverage file. Derived members are ignored.
 * @throws ConfigError with one line
 */
export function parseCoverage(text: string, file: string): SeenByClients {
  const json = parseJson(text)
  if (!json.ok) throw noCoverage(file, `it is not JSON: ${json.reason}`)
  const { value } = json
  if (!looksLikeCoverage(value)) {
    // Created on demand, because the format loads language tables, which takes 10 ms.
    const missing = new Intl.ListFormat('en-GB').format(missingIn(value))
    throw noCoverage(file, `it has no ${missing}`)
  }
  if (value['format'] !== COVERAGE_FORMAT) throw otherFormat(file, value)
  const checked = checkAgainst(seenByClientsSchema, value)
  if (checked.kind === 'valid') return checked.value
  const [first] = problemLines(checked, 'the value')
  throw ConfigError.of(`${file}: it is a damaged coverage file: ${first}; run the tests again`)
}

/** The content of a coverage file of any format version; `undefined` for any other text. */
export function coverageIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = parseJson(text)
  return json.ok && looksLikeCoverage(json.value) ? json.value : undefined
}

/** The members that identify a coverage file of any format version. */
const MEMBERS = ['format', 'catalogue', 'claims']

const missingIn = (value: unknown) =>
  MEMBERS.filter((name) => !isJsonObject(value) || !(name in value))

const looksLikeCoverage = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && missingIn(value).length === 0

const noCoverage = (file: string, reason: string) =>
  ConfigError.of(
    `${file}: it is no coverage file: ${reason}; name a file that the setting coverage_file wrote`,
  )

function otherFormat(file: string, { format, version }: Readonly<Record<string, unknown>>) {
  const by = typeof version === 'string' ? `, written by agekey-sandbox ${quote(version)}` : ''
  return ConfigError.of(
    `${file}: it has format ${quote(JSON.stringify(format) ?? '')}${by}; this version reads format ${COVERAGE_FORMAT}: run the tests again with this version, or read it with the version that wrote it`,
  )
}
