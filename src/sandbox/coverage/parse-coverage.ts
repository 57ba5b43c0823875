import { isJsonObject } from '../../age/json-object.ts'
import { quote } from '../../age/quote.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { checkAgainst, formatPath } from '../../files/schema-problems.ts'
import { COVERAGE_FORMAT, type CoverageCounters, countersSchema } from './counters.ts'

/** Reads the counters of a coverage file; what is derived in it is not read. @throws ConfigError with one line */
export function parseCoverage(text: string, file: string): CoverageCounters {
  const value = parseJson(text, file)
  if (!looksLikeCoverage(value)) throw noCoverage(file, 'it has no format, claims and rows')
  if (value['format'] !== COVERAGE_FORMAT) {
    const by = typeof value['version'] === 'string' ? `, written by agekey-sandbox ${quote(value['version'])}` : ''
    throw ConfigError.of(
      `${file}: it has format ${quote(JSON.stringify(value['format']) ?? '')}${by}; this version reads format ${COVERAGE_FORMAT}: run the tests again with this version, or read it with the version that wrote it`,
    )
  }
  const checked = checkAgainst(countersSchema, value)
  if (checked.kind === 'valid') return checked.value
  const [first] = checked.problems
  throw ConfigError.of(
    `${file}: it is a damaged coverage file: ${formatPath(first?.path ?? [])}: ${first?.message}; run the tests again`,
  )
}

/** Whether a text is a coverage file of any format. */
export function isCoverageFile(text: string): boolean {
  try {
    return looksLikeCoverage(JSON.parse(text))
  } catch {
    return false
  }
}

const looksLikeCoverage = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && 'format' in value && 'claims' in value && 'rows' in value

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw noCoverage(file, `it is not JSON: ${messageOf(error)}`)
  }
}

const noCoverage = (file: string, reason: string) =>
  ConfigError.of(`${file}: it is no coverage file: ${reason}; name a file that --coverage-file wrote`)
