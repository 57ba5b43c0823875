import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { checkAgainst } from '../../../service/text/schema-problems.ts'
import { REPORT_FORMATS } from '../../report/write-reports.ts'
import { requireKnownNames } from '../../trials/rows/select-rows.ts'
import { AUDIT_FLAGS, flagsOf, type GivenFlag, type GivenFlags } from './flags.ts'
import { type AuditSettings, settingsSchema } from './settings.ts'

/**
 * Reads the settings from the flags.
 * @throws ConfigError with one line: the flag, what was received, and what is allowed
 */
export function readFlags(page: string | undefined, flags: GivenFlags): AuditSettings {
  const given = flagsOf(flags)
  const values = new Map<string, unknown>(page === undefined ? [] : [['app', page]])
  for (const flag of given) {
    const [key, ...inner] = flag.at
    values.set(key, withValue(values.get(key), inner, readValue(flag)))
  }
  const schema = settingsSchema.check(requireKnownNames)
  const checked = checkAgainst(schema, Object.fromEntries(values))
  if (checked.kind === 'invalid') {
    const [{ path, message } = { path: [], message: checked.rest.join() }] = checked.problems
    const flag = given.find(({ at }) =>
      at.every((key, depth) => depth >= path.length || key === path[depth]),
    )
    throw ConfigError.of(flag ? `--${flag.name}: ${message}` : message)
  }
  refuseTogether(checked.value)
  return checked.value
}

/** The converted value of a flag. A text that cannot be converted stays: the schema refuses it. */
function readValue({ value, argument }: GivenFlag): unknown {
  if (typeof value === 'boolean') return value
  const convert = (text: string) => {
    if (argument === '<entry>') return entryOf(text)
    const isNumber = argument === '<years>' || argument === '<number>' || argument === '<seconds>'
    return isNumber && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
  }
  return typeof value === 'string' ? convert(value) : value.map(convert)
}

/** Parses `use/id_token.kid_empty: the library is old` as an entry of `known`. */
function entryOf(text: string): unknown {
  const [, row, because] = /^([^:]+):(.+)$/s.exec(text)?.map((part) => part.trim()) ?? []
  return row && because ? { row, because } : text
}

/** Copies a setting with a new value at a path. The other members stay. */
function withValue(setting: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...inner] = path
  if (name === undefined) return value
  const members = new Map<string, unknown>(Object.entries(Object(setting)))
  return Object.fromEntries(members.set(name, withValue(members.get(name), inner, value)))
}

type Key = keyof AuditSettings

const APART: readonly (readonly [Key, readonly Key[], string])[] = [
  ['list', ['learn', 'again', 'readings'], 'they are two things to do'],
  ['learn', ['again', 'readings'], 'they are two things to do'],
  ['again', ['readings', 'only'], 'both say what is looked at'],
  [
    'readings',
    ['fail_on'],
    '--readings tries no row; --fail-on-readings makes what it finds count',
  ],
  ['readings', ['only', 'skip', 'known', 'catalogue', 'slow', 'audit'], '--readings tries no row'],
  ['browser', ['cdp', 'headed'], '--browser http runs no Chromium'],
  ['headed', ['cdp'], '--cdp names a browser that runs already'],
  [
    'list',
    ['junit', 'sarif', 'markdown'],
    '--list runs no row, so that there is nothing to report',
  ],
  ['learn', REPORT_FORMATS, '--learn runs no row, so that there is nothing to report'],
]

function refuseTogether({ browser, ...others }: AuditSettings): void {
  const given: AuditSettings = { ...others, ...(browser === 'http' && { browser }) }
  const flagOf = (key: Key) => `--${AUDIT_FLAGS.find(({ at }) => at[0] === key)?.name}`
  for (const [key, keys, why] of APART) {
    const other = keys.find((one) => given[one] !== undefined)
    if (given[key] !== undefined && other)
      throw ConfigError.of(
        `${flagOf(key)} and ${flagOf(other)} do not go together: ${why}; leave one of them out`,
      )
  }
  if (given.fail_on_readings && !given.readings)
    throw ConfigError.of(
      '--fail-on-readings counts what --readings finds; give --readings too, or leave it out',
    )
}
