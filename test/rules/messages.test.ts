import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../src/client/shapes/flow.ts'
import { BRAND } from '../../src/oidc/profile.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { startSandbox } from '../support/sandbox.ts'
import { AGE_SIGNAL_CASES } from './age-signal.cases.ts'
import { CLAIMS_CASES } from './claims.cases.ts'
import { CREATE_CASES } from './create.cases.ts'
import { UPGRADE_CASES } from './upgrade.cases.ts'
import { USE_CASES } from './use.cases.ts'

const CASES = [...USE_CASES, ...CLAIMS_CASES, ...CREATE_CASES, ...AGE_SIGNAL_CASES, ...UPGRADE_CASES]

/** Words with which a hint tells what to do. */
const INSTRUCTION =
  /^(?:Ask|Choose|Compare|Correct|Do not|Exchange|Keep|Leave|Look|Make|Name|Open|Push|Remove|Run|Send|Shorten|Sort|Use) /

/** The message says that nothing was received, or names what it does not repeat: a secret, a document, a header of the browser. */
const WITHOUT_VALUE =
  /is missing|are missing|has already been|expired \d+ seconds? ago|was ended|no longer exists|not issued (?:here|to)|sent beside|is no age format of|, is an? (?:array|object)|JSON inside a string|(?:has|holds) \d+$|holds date_of_birth and years|gives (?:both|neither)|this device has no font "No Such Font"|\d+ bytes long|beside an Authorization|came from an iframe|is wrong for client|the user agent is|not well-formed/

/** The value at the path of a finding in what was sent: `claims.age_thresholds[1]`. */
function valueAt(path: string, { parameters }: Pick<CallRecord, 'parameters'>): unknown {
  let value: unknown = parameters
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof value === 'string') value = JSON.parse(value)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
  }
  return value
}

/** What of a value a message can hold: the beginning of a text, a number, the beginning of a list or an object. */
function beginningOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.replace(/\*\*\*$/, '').slice(0, 10)).slice(1, -1)
  if (Array.isArray(value) && value.length === 0) return ''
  return (JSON.stringify(value) ?? '').replace(/^[[{]/, '').slice(0, 8)
}

const isNamed = (path: string, message: string) => {
  const name = path.split(/[.[\]]+/).findLast((part) => part !== '')
  return name !== undefined && new RegExp(`(?:has no member|^)\\s*"?${name}\\b`).test(message)
}

const isUnknownName = (message: string) => /has no member|it was ignored|was ignored\./.test(message)

describe('The message of a broken rule holds what was received, and its hint tells what to do:', () => {
  test.each(CASES.map((one) => [one.rule, one.breaks, one] as const))('%s, %s', async (_rule, _breaks, { send }) => {
    const sandbox = await startSandbox({ profile: 'spec' })
    const brand = BRAND.spec
    await send(createRelyingParty(sandbox, { brand }), { sandbox, brand })
    const call = (await sandbox.flows.last())?.calls.at(-1)
    const finding = call?.findings[0]
    if (!call || !finding) throw new Error('nothing was found')
    const { message, path, hint } = finding
    expect(hint).toMatch(INSTRUCTION)
    if (isUnknownName(message)) expect(isNamed(path, message)).toBe(true)
    else if (path === 'Content-Type') expect(message).toMatch(/not "application\/[a-z-]+"$/)
    else if (!WITHOUT_VALUE.test(message)) expect(message).toContain(beginningOf(valueAt(path, call)))
  })
})
