import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AUDIT_FLAGS } from '../../../src/audit/command/settings/flags.ts'
import { READINGS } from '../../../src/sandbox/readings/readings.ts'
import { SETTING_ROWS } from '../../../src/server/config/settings.ts'
import { FLAGS } from '../../../src/server/config/text-settings.ts'
import { snakeCase } from '../../../src/service/text/camel-case.ts'

const page = readFileSync(
  new URL('../../../docs/maintainers/decisions.md', import.meta.url),
  'utf8',
)
const [, silences = '', ...sections] = page.split('\n## ')

/** The cells of each row of a table, without its head. */
const rowsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '))

/** The words of the specification before each of its "not shown", in its order. */
const NOT_SHOWN = [
  'Fields of the stored age key record',
  'Whether a code is single-use',
  'Whether a request_uri is single-use',
  'Whether an access token is single-use',
  'Revocation, invalidation and any other lifecycle of the stored age key',
  'Contents of the discovery documents',
  'Contents of the key set',
  'Permitted values of the appearance parameters',
  'Procedure for registering redirect URIs and for obtaining credentials',
  'Events',
  'Error redirect codes other than access_denied',
  'HTTP status codes of failed server-to-server calls',
  'Bodies of failed server-to-server calls',
  'Rate limits',
  'Maximum number of items in authorization_details',
  'Deprecation policy and version negotiation',
]

const names = READINGS.map(({ name }) => name)
const readingsIn = (cell: string) =>
  [...cell.matchAll(/`--reading (\w+)`/g)].map(([, name = '']) => name)

test('Every "not shown" of the specification stands in docs/maintainers/decisions.md, in its order', () => {
  expect(silences).toMatch(/^What the specification does not show\n/)
  expect(rowsIn(silences).map(([words]) => words)).toEqual(NOT_SHOWN)
})

test.each(rowsIn(silences))(
  'A "not shown" has readings or a reason: %s',
  (_words, section, answer = '') => {
    expect(section).toMatch(/\w/)
    const readings = readingsIn(answer)
    expect(readings.filter((name) => !names.includes(name))).toEqual([])
    // A reason is a sentence.
    if (readings.length === 0) expect(answer).toMatch(/^None: .{30,}/)
  },
)

test('A "not shown" that a reading quotes is answered by that reading', () => {
  const quoted = READINGS.filter(({ quote }) => /: not shown\.$/.test(quote))
  expect(quoted.length).toBeGreaterThan(8)
  const answered = rowsIn(silences).flatMap(([, , answer = '']) => readingsIn(answer))
  expect(quoted.map(({ name }) => name).filter((name) => !answered.includes(name))).toEqual([])
})

const switches = sections.flatMap(rowsIn).map(([point = '', , cell = '']) => ({ point, cell }))

test('Each switch of a decision exists', () => {
  const flags = FLAGS.map(({ name }) => `--${name}`)
  const keys = SETTING_ROWS.map(([name]) => snakeCase(name))
  const audit = AUDIT_FLAGS.map((one) => one.flags.replace(/ .*/, ''))
  const others = ['signing_alg', 'audit=also']
  const known = new Set([
    ...names.map((name) => `--reading ${name}`),
    ...flags,
    ...keys,
    ...audit,
    ...others,
  ])
  const used = switches.flatMap(({ cell }) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
  expect(used.length).toBeGreaterThan(50)
  expect(used.filter((name) => !known.has(name))).toEqual([])
  expect(switches.filter(({ cell }) => cell !== 'none' && !cell.includes('`'))).toEqual([])
})

test('A switch of a decision leads to every reading: what can be read in another way was decided in one', () => {
  const led = switches.flatMap(({ cell }) => readingsIn(cell))
  expect(names.filter((name) => !led.includes(name))).toEqual([])
})
