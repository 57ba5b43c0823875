import { expect, test } from 'vitest'
import { NO_READINGS } from '../../../src/sandbox/readings/active-readings.ts'
import { problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'
import { createTenantReadings } from '../../../src/sandbox/readings/tenant-readings.ts'

const STATES = Array.from({ length: 300 }, (_, index) => `state-${index}`)

/** What the flows of a tenant with a seed are read by, one list for each state. */
function picks(grease: string, { readings = {}, flow = 'use' as 'use' | 'create' } = {}) {
  const tenant = createTenantReadings({ readings, grease })
  return STATES.map((state) => tenant.ofFlow(flow, state).ids ?? [])
}

test('The readings of a tenant are none, one object for all calls, when nothing is set', () => {
  const readings = createTenantReadings({ readings: {} })
  expect(readings.fixed).toBe(NO_READINGS)
  expect(readings.ofFlow('use', 'state-1')).toBe(NO_READINGS)
  expect(createTenantReadings({ readings: { par_status: '201' } }).fixed).toBe(NO_READINGS)
})

test('A seed adds one reading to each flow, the same for the same state, and others under another seed', () => {
  const picked = picks('7')
  expect([picked.map((ids) => ids.length), picks('7')]).toEqual([STATES.map(() => 1), picked])
  expect(picks('8')).not.toEqual(picked)
})

test('A seed picks all that a flow can show, and none of discovery, of the key set and of the brand word', () => {
  const namesOf = (flow: 'use' | 'create') => new Set(picks('text', { flow }).map(([id]) => id?.split('=')[0]))
  const [use, create] = [[...namesOf('use')], [...namesOf('create')]]
  expect(use).toEqual(expect.arrayContaining(['signing', 'code_use', 'upgrade_body', 'unknown_members']))
  expect(create).toEqual(expect.arrayContaining(['par_status', 'request_uri_use', 'expired_request_uri']))
  for (const name of ['par_status', 'discovery', 'key_set', 'key_members', 'brand_word'])
    expect(use).not.toContain(name)
})

test('A seed keeps what is set, and nothing that this excludes is picked', () => {
  for (const ids of picks('7', { readings: { key_set: 'one', typ: 'absent' } })) {
    expect(ids).toEqual(expect.arrayContaining(['key_set=one', 'typ=absent']))
    expect(problemsOf(Object.fromEntries(ids.map((id) => id.split('='))))).toEqual([])
  }
})

test('The readings of a tenant leave out what a later version kept and this version does not know', () => {
  const readings = { later: 'x', typ: 'later', nbf: 'present' }
  expect(createTenantReadings({ readings }).fixed.ids).toEqual(['nbf=present'])
})
