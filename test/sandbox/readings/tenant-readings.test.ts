import { describe, expect, test } from 'vitest'
import { NO_READINGS } from '../../../src/sandbox/readings/active-readings.ts'
import { problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'
import { createTenantReadings } from '../../../src/sandbox/readings/tenant-readings.ts'

const STATES = Array.from({ length: 300 }, (_, index) => `state-${index}`)

describe('The readings of a tenant', () => {
  test('are none, one object for all calls, when nothing is set', () => {
    const readings = createTenantReadings({ readings: {} })
    expect(readings.fixed).toBe(NO_READINGS)
    expect(readings.ofFlow('use', 'state-1')).toBe(NO_READINGS)
    expect(createTenantReadings({ readings: { par_status: '201' } }).fixed).toBe(NO_READINGS)
  })

  test('are with a seed one more of each flow, the same one for the same state', () => {
    const [one, other] = [
      createTenantReadings({ readings: {}, grease: '7' }),
      createTenantReadings({ readings: {}, grease: '7' }),
    ]
    for (const state of STATES) {
      expect(one.ofFlow('use', state).ids).toHaveLength(1)
      expect(one.ofFlow('use', state).ids).toEqual(other.ofFlow('use', state).ids)
    }
  })

  test('are others under another seed', () => {
    const picks = ['7', '8'].map((grease) => {
      const readings = createTenantReadings({ readings: {}, grease })
      return STATES.map((state) => readings.ofFlow('use', state).ids?.[0])
    })
    expect(picks[0]).not.toEqual(picks[1])
  })

  test('are with a seed all that a flow can show, and none of discovery, of the key set and of the brand word', () => {
    const readings = createTenantReadings({ readings: {}, grease: 'text' })
    const picked = (flow: 'use' | 'create') =>
      new Set(STATES.map((state) => readings.ofFlow(flow, state).ids?.[0]?.split('=')[0]))
    expect([...picked('use')]).toEqual(
      expect.arrayContaining(['signing', 'code_use', 'upgrade_body', 'unknown_members']),
    )
    expect([...picked('create')]).toEqual(
      expect.arrayContaining(['par_status', 'request_uri_use', 'expired_request_uri']),
    )
    expect(picked('use')).not.toContain('par_status')
    for (const name of ['discovery', 'key_set', 'key_members', 'brand_word']) expect(picked('use')).not.toContain(name)
  })

  test('keep with a seed what is set, and nothing that it excludes is picked', () => {
    const set = { key_set: 'one', typ: 'absent' }
    const readings = createTenantReadings({ readings: set, grease: '7' })
    for (const state of STATES) {
      const ids = readings.ofFlow('use', state).ids ?? []
      expect(ids).toEqual(expect.arrayContaining(['key_set=one', 'typ=absent']))
      expect(problemsOf(Object.fromEntries(ids.map((id) => id.split('='))))).toEqual([])
    }
  })

  test('leave out what a later version kept and this one does not know', () => {
    expect(createTenantReadings({ readings: { later: 'x', typ: 'later', nbf: 'present' } }).fixed.ids).toEqual([
      'nbf=present',
    ])
  })
})
