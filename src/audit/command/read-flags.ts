import { camelCase } from '../../files/camel-case.ts'
import { ConfigError } from '../../files/config-error.ts'
import { flagWord } from '../../files/shell-word.ts'
import { checkAgainst } from '../../text/schema-problems.ts'
import { REPORT_FORMATS } from '../report/write-reports.ts'
import { requireKnownNames } from '../trials/select-rows.ts'
import { AUDIT_FLAGS, type AuditSettings, settingsSchema } from './settings.ts'

/** The flags of the command: `{ failOn: 'should' }`. */
export type GivenFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

const givenTo = (flags: GivenFlags) =>
  AUDIT_FLAGS.flatMap((flag) => {
    const value = flags[camelCase(flag.name.replaceAll('-', '_'))]
    return value === undefined ? [] : [{ ...flag, value }]
  })

/** Converts a text to a value. A text that cannot be converted is returned as it is, and the schema refuses it. */
function parse(text: string, argument: string): unknown {
  if (argument === '<entry>') {
    const [, row, because] = /^([^:]+):(.+)$/s.exec(text)?.map((part) => part.trim()) ?? []
    return row && because ? { row, because } : text
  }
  return /years|number|seconds/.test(argument) && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** The settings from the flags. @throws ConfigError with one line: the flag, what was received and what is allowed */
export function readFlags(page: string | undefined, flags: GivenFlags): AuditSettings {
  const given = givenTo(flags)
  const values: Record<string, unknown> = page === undefined ? {} : { app: page }
  for (const { at, value, argument } of given) {
    const [key = '', ...deeper] = at
    const read = (text: string) => parse(text, argument)
    const held = typeof value === 'boolean' ? value : typeof value === 'string' ? read(value) : value.map(read)
    const inner = deeper.reduceRight<unknown>((nested, name) => ({ [name]: nested }), held)
    values[key] = deeper.length === 0 ? inner : Object.assign({}, values[key], inner)
  }
  const checked = checkAgainst(settingsSchema.check(requireKnownNames), values)
  if (checked.kind === 'invalid') {
    const [{ path, message } = { path: [], message: checked.rest.join() }] = checked.problems
    const flag = given.find(({ at }) => at.every((key, depth) => depth >= path.length || key === path[depth]))
    throw ConfigError.of(flag ? `--${flag.name}: ${message}` : message)
  }
  refuseTogether(checked.value)
  return checked.value
}

type Key = keyof AuditSettings

const APART: readonly (readonly [Key, readonly Key[], string])[] = [
  ['list', ['learn', 'again', 'readings'], 'they are two things to do'],
  ['learn', ['again', 'readings'], 'they are two things to do'],
  ['again', ['readings', 'only'], 'both say what is looked at'],
  ['readings', ['fail_on'], '--readings tries no row; --fail-on-readings makes what it finds count'],
  ['readings', ['only', 'skip', 'known', 'catalogue', 'slow', 'audit'], '--readings tries no row'],
  ['browser', ['cdp', 'headed'], '--browser http runs no Chromium'],
  ['headed', ['cdp'], '--cdp names a browser that runs already'],
  ['list', ['junit', 'sarif', 'markdown'], '--list runs no row, so that there is nothing to report'],
  ['learn', REPORT_FORMATS, '--learn runs no row, so that there is nothing to report'],
]

function refuseTogether({ browser, ...others }: AuditSettings): void {
  const given: AuditSettings = { ...others, ...(browser === 'http' && { browser }) }
  const flagOf = (key: Key) => `--${AUDIT_FLAGS.find(({ at }) => at[0] === key)?.name}`
  for (const [key, keys, why] of APART) {
    const other = keys.find((one) => given[one] !== undefined)
    if (given[key] !== undefined && other)
      throw ConfigError.of(`${flagOf(key)} and ${flagOf(other)} do not go together: ${why}; leave one of them out`)
  }
  if (given.fail_on_readings && !given.readings)
    throw ConfigError.of('--fail-on-readings counts what --readings finds; give --readings too, or leave it out')
}

/** The command that audits the same app again, without rows and reports. @param settings flags of the sandbox */
export function sameCall(page: string | undefined, flags: GivenFlags, settings: readonly string[]): string {
  const own = givenTo(flags)
    .filter(({ isOfApp }) => isOfApp)
    .flatMap(({ name, value }) => [`--${name}`, ...(typeof value === 'string' ? [flagWord(value)] : [])])
  return ['npx agekey-sandbox audit', ...(page === undefined ? [] : [flagWord(page)]), ...own, ...settings].join(' ')
}
