import { describe, expect, it } from 'vitest'
import { decodePairs } from '../../../src/oidc/request/parameters.ts'

const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')

describe('decodePairs', () => {
  it('takes 200 parameters and refuses 201, without decoding any', () => {
    expect(decodePairs(pairs(200))).toHaveLength(200)
    expect(() => decodePairs(`${pairs(200)}&%zz`)).toThrow('parameters: 201 were sent, and at most 200 are read')
  })

  it('counts no empty place between separators', () => {
    expect(decodePairs(`&&${'&'.repeat(60_000)}a=1&`)).toEqual([['a', '1']])
  })
})
