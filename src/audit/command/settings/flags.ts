import type * as z from 'zod'
import { camelCase } from '../../../service/text/camel-case.ts'
import { type AuditSettings, click, flowShape, settingShape } from './settings.ts'

/** A flag of the command, and the setting that the flag sets. */
interface FlagRow {
  /** The name without dashes: `fail-on`. */
  readonly name: string
  /** Absent for a flag without a value. */
  readonly argument?: FlagArgument
  /** The path of the setting: `['use', 'accepted']`. */
  readonly at: readonly [keyof AuditSettings, ...string[]]
  /** The schema whose description explains the flag (default: the schema of `at[0]`). */
  readonly explainedBy?: z.ZodType
}

type FlagArgument =
  | '<command>'
  | '<entry>'
  | '<file>'
  | '<level>'
  | '<name>'
  | '<number>'
  | '<path>'
  | '<pattern>'
  | '<rule>'
  | '<seconds>'
  | '<text>'
  | '<url>'
  | '<version>'
  | '<years>'

/** Flags about the app, in the order of --help. Each audit of the app needs the same. */
const OF_APP: readonly FlagRow[] = [
  {
    name: 'accepted',
    argument: '<rule>',
    at: ['use', 'accepted'],
    explainedBy: flowShape.accepted,
  },
  { name: 'begin', argument: '<text>', at: ['use', 'begin', 'click'], explainedBy: click },
  { name: 'age', argument: '<years>', at: ['age'] },
  { name: 'start', argument: '<command>', at: ['start', 'run'] },
  { name: 'browser', argument: '<name>', at: ['browser'] },
  { name: 'cdp', argument: '<url>', at: ['cdp'] },
  { name: 'headed', at: ['headed'] },
  { name: 'url', argument: '<url>', at: ['url'] },
  { name: 'this-app-is-mine', at: ['this_app_is_mine'] },
  { name: 'timeout', argument: '<seconds>', at: ['timeout'] },
  { name: 'slow', at: ['slow'] },
]

/**
 * Flags about one audit, in the order of --help. Decision: each --only takes one pattern. A flag
 * with a list of values would also take the URL that follows.
 */
const OF_RUN: readonly FlagRow[] = [
  { name: 'only', argument: '<pattern>', at: ['only'] },
  { name: 'skip', argument: '<pattern>', at: ['skip'] },
  { name: 'find', argument: '<path>', at: ['audit', 'get'] },
  { name: 'readings', at: ['readings'] },
  { name: 'fail-on-readings', at: ['fail_on_readings'] },
  { name: 'fail-on', argument: '<level>', at: ['fail_on'] },
  { name: 'known', argument: '<entry>', at: ['known'] },
  { name: 'catalogue', argument: '<version>', at: ['catalogue'] },
  { name: 'again', at: ['again'] },
  { name: 'jobs', argument: '<number>', at: ['jobs'] },
  { name: 'budget', argument: '<seconds>', at: ['budget'] },
  { name: 'repeat', argument: '<number>', at: ['repeat'] },
  { name: 'json', argument: '<file>', at: ['json'] },
  { name: 'junit', argument: '<file>', at: ['junit'] },
  { name: 'sarif', argument: '<file>', at: ['sarif'] },
  { name: 'markdown', argument: '<file>', at: ['markdown'] },
  { name: 'list', at: ['list'] },
  { name: 'learn', at: ['learn'] },
]

/** A flag as the command line registers it. */
export interface AuditFlag extends Omit<FlagRow, 'explainedBy'> {
  /** The flag with its argument: `--fail-on <level>`. */
  readonly flags: string
  /** The explanation in --help. */
  readonly help: string
  /** Whether the flag may be given several times. */
  readonly isList: boolean
  /** Whether the flag belongs to each audit of the app. */
  readonly isOfApp: boolean
}

export const AUDIT_FLAGS: readonly AuditFlag[] = [
  ...OF_APP.map((row) => describeFlag(row, true)),
  ...OF_RUN.map((row) => describeFlag(row, false)),
]

function describeFlag({ explainedBy, ...row }: FlagRow, isOfApp: boolean): AuditFlag {
  const { name, argument, at } = row
  const { description = '' } = explainedBy ?? settingShape[at[0]]
  return {
    ...row,
    flags: argument === undefined ? `--${name}` : `--${name} ${argument}`,
    help: description.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()),
    isList: argument === '<pattern>' || argument === '<entry>',
    isOfApp,
  }
}

/** The flags of a call: `{ failOn: 'should' }`. */
export type GivenFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** A flag of a call with its value. */
export interface GivenFlag extends AuditFlag {
  readonly value: string | boolean | readonly string[]
}

/** The flags of a call that have a value. */
export function flagsOf(given: GivenFlags): readonly GivenFlag[] {
  return AUDIT_FLAGS.flatMap((flag) => {
    const value = given[camelCase(flag.name.replaceAll('-', '_'))]
    return value === undefined ? [] : [{ ...flag, value }]
  })
}
