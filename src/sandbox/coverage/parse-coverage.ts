import { isJsonObject } from '../../age/json-object.ts'
import { ConfigError } from '../../files/config-error.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { quote } from '../../text/message-parts.ts'
import { checkAgainst, problemLines } from '../../text/schema-problems.ts'
import { COVERAGE_FORMAT, type CoverageCounters, countersSchema } from './counters.ts'

/** Reads the counters of a coverage file; what is derived in it is not read. @throws ConfigError with one line */
export function parseCoverage(text: string, file: string): CoverageCounters {
  const json = parseJson(text)
  if (!json.ok) throw noCoverage(file, `it is not JSON: ${json.reason}`)
  const { value } = json
  if (!looksLikeCoverage(value)) throw noCoverage(file, `it has no ${AND.format(missingIn(value))}`)
  if (value['format'] !== COVERAGE_FORMAT) {
    const by = typeof value['version'] === 'string' ? `, written by agekey-sandbox ${quote(value['version'])}` : ''
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

const missingIn = (value: unknown) => MEMBERS.filter((name) => !isJsonObject(value) || !(name in value))

const looksLikeCoverage = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && missingIn(value).length === 0

const AND = new Intl.ListFormat('en-GB')

const noCoverage = (file: string, reason: string) =>
  ConfigError.of(`${file}: it is no coverage file: ${reason}; name a file that the setting coverage_file wrote`)
