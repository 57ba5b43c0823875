import { expect, test } from 'vitest'
import {
  CATALOGUE_VERSION,
  CATALOGUE_VERSIONS,
  describeOutcome,
  findOutcome,
  findRow,
  OUTCOMES,
  outcomesFor,
  rowId,
} from '../../../src/sandbox/outcomes/catalogue.ts'
import { bringsNothing, CHECK_ROWS, unmetNeedOf } from '../../../src/sandbox/outcomes/outcome.ts'
import { CALLS } from '../../../src/service/oidc/endpoints.ts'

const rowOf = (id: string) => findRow(id) ?? expect.fail(`there is no row ${id}`)

test('Each outcome is found by a name of its own', () => {
  expect(OUTCOMES.length).toBeGreaterThanOrEqual(60)
  expect(new Set(OUTCOMES.map(rowId))).toHaveProperty('size', OUTCOMES.length)
  expect(OUTCOMES.map((row) => findRow(rowId(row)))).toEqual(OUTCOMES)
})

test('findOutcome finds an outcome in its own flow alone', () => {
  expect(findOutcome('use', 'id_token.expired')).toBe(rowOf('use/id_token.expired'))
  expect(findOutcome('use', 'created')).toBeUndefined()
})

test('The catalogue has three versions', () => {
  expect(CATALOGUE_VERSION).toBe('0.3')
  expect(CATALOGUE_VERSIONS).toEqual(['0.1', '0.2', '0.3'])
})

test('Only no_answer brings nothing to the app', () => {
  expect(OUTCOMES.filter(bringsNothing).map(rowId)).toEqual(['use/no_answer', 'create/no_answer'])
})

test.each(CALLS)(
  'What a request or call of %s may be forced to have begins with its own outcomes',
  (flow) => {
    const flows = [...new Set(outcomesFor(flow).map((row) => row.flow))]
    const later = {
      use: ['token', 'upgrade', 'par', 'discovery', 'jwks'],
      create: ['par', 'discovery', 'jwks'],
    }
    expect(flows).toEqual([flow, ...(flow === 'use' || flow === 'create' ? later[flow] : [])])
    expect(outcomesFor(flow)).toHaveLength(
      OUTCOMES.filter((row) => flows.includes(row.flow)).length,
    )
  },
)

test('Each outcome is described by the columns of the catalogue', () => {
  for (const row of OUTCOMES) {
    const { name } = row
    const twin = rowOf(row.twin)
    expect(twin.correctClient, name).toBe('accept')
    // The twin needs no more.
    if (twin.flow === row.flow)
      expect(row.needs ?? [], name).toEqual(expect.arrayContaining([...(twin.needs ?? [])]))
    expect(name).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
    for (const line of [row.summary, row.rule]) expect(line, name).toMatch(/^\S[^\n]{10,250}\.$/)
    expect(row.harm, name).toMatch(/^[A-Z][^\n]{20,200}\.$/)
    for (const check of CHECK_ROWS) expect(check.rule, check.name).toMatch(/^\S[^\n]{10,110}\.$/)
    expect(row.severity, name).toBeGreaterThan(0)
    expect(row.severity, name).toBeLessThanOrEqual(10)
    expect(CATALOGUE_VERSIONS).toContain(row.since)
    if (row.correctClient === 'accept') expect(row.breaks, name).toEqual([])
    if (row.correctClient === 'refuse') expect(row.cwe, name).not.toEqual([])
    // Nothing comes that could be checked.
    if (row.correctClient === 'refuse' && row.family !== 'no_answer')
      expect(row.breaks, name).not.toEqual([])
    // A server-to-server call has no request that could need anything.
    const isCall = row.flow !== 'use' && row.flow !== 'create'
    if (isCall) {
      expect(row.seam, name).toBe('reply')
      expect(row.needs, name).toBeUndefined()
      expect(row.ending, name).toBeUndefined()
    }
  }
})

test.each([
  ['use/id_token.expired', ['age_key']],
  ['use/code_issued', ['upgrade_scope', 'age_key']],
  ['use/id_token.replayed', ['earlier_flow', 'age_key']],
  ['use/callback.code_missing', ['upgrade_scope', 'age_key']],
  ['use/access_denied', undefined],
])(
  '%s needs %j: a persona with an age key wherever an id_token or a code must come',
  (id, needs) => {
    expect(rowOf(id).needs).toEqual(needs)
  },
)

test.each([
  ['use/verified', 'use/verified'],
  ['use/id_token.expired', 'use/verified'],
  ['use/id_token.c_hash_wrong', 'use/code_issued'],
  ['use/create_requested', 'use/create_requested'],
  ['create/callback.state_missing', 'create/created'],
  ['par/par.500', 'create/created'],
  ['token/token.500', 'use/code_issued'],
  ['upgrade/upgrade.500', 'use/code_issued'],
  ['discovery/discovery.500', 'use/verified'],
  ['jwks/jwks.500', 'use/verified'],
])('%s differs by its fault alone from %s', (id, twin) => {
  expect(rowOf(id).twin).toBe(twin)
})

test('An outcome has the level of what demands the check', () => {
  const rows = ['payload_changed', 'azp_of_other_client', 'exp_far_future'].map((name) =>
    rowOf(`use/id_token.${name}`),
  )
  expect(rows.map(({ level }) => level)).toEqual(['must', 'should', 'may'])
})

const LEGAL = 'your app sends can_create=true, which makes this answer a legal one'
const SAME_STATE =
  'your app sends the same state with every request, so that there is no earlier one'

test.each([
  ['use/create_requested', { can_create: false }, 'your app sends no can_create=true'],
  ['use/create_requested', { can_create: true, upgrade_scope: false }, undefined],
  ['use/callback.create_requested_unasked', { no_can_create: false }, LEGAL],
  ['use/code_issued', { upgrade_scope: false }, 'your app does not ask for the upgrade scope'],
  ['use/callback.state_of_earlier_flow', { earlier_state: false }, SAME_STATE],
  ['use/code_issued', {}, undefined],
  ['use/access_denied', { can_create: false }, undefined],
])('An app never gets %s when it has %j: %s', (id, has, reason) => {
  expect(unmetNeedOf(rowOf(id), has)).toBe(reason)
})

test('An outcome omits the columns for programs that have no value', () => {
  const common = {
    ...{
      correct_client: 'refuse',
      level: 'must',
      harm: expect.any(String),
      bait: 'adult',
      layer: 'oidc',
    },
    ...{ since: '0.1', flow: 'use', twin: 'use/verified' },
  }
  expect(describeOutcome(rowOf('use/id_token.nonce_of_earlier_flow'))).toEqual({
    ...common,
    ...{ name: 'id_token.nonce_of_earlier_flow', seam: 'claims', family: 'nonce', severity: 8.1 },
    summary: 'The nonce is that of the last flow of this client.',
    rule: 'nonce equals the one that was sent in this session; each serves once.',
    ...{
      cwe: ['CWE-294'],
      breaks: ['nonce'],
      needs: ['earlier_flow', 'age_key'],
      prelude: 'earlier_flow',
    },
    refs: [
      'specification, "Authentication": "nonce equals the sent value"',
      'OpenID Connect Core 1.0 section 3.2.2.11',
    ],
  })
  expect(describeOutcome(rowOf('use/access_denied'))).toEqual({
    ...common,
    ...{
      name: 'access_denied',
      seam: 'callback',
      family: 'error',
      severity: 9.1,
      breaks: ['error'],
    },
    ...{ summary: expect.any(String), rule: expect.any(String), cwe: ['CWE-636', 'CWE-754'] },
    refs: [
      'specification, "E1. Use authorization": "id_token | success"',
      'OpenID Connect Core 1.0 section 3.2.2.6',
    ],
  })
})
