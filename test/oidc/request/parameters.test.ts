import { expect, test } from 'vitest'
import { echoedText, refuseLongValues } from '../../../src/oidc/request/echoed.ts'
import { decodePairs } from '../../../src/oidc/request/parameters.ts'
import { refusalOf } from '../../support/service.ts'

const pairs = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')

test('decodePairs takes 200 parameters and refuses 201, without decoding any', async () => {
  expect(decodePairs(pairs(200))).toHaveLength(200)
  expect(await refusalOf(() => decodePairs(`${pairs(200)}&%zz`))).toMatchObject({
    status: 400,
    code: 'invalid_request',
    title: 'Too many parameters',
    message: 'parameters: 201 were sent, and at most 200 are read; send only those that the call knows, each once',
  })
})

test.each([
  [`&&${'&'.repeat(6_000)}a=1&`, [['a', '1']]],
  ['', []],
  ['a', [['a', '']]],
  ['=b', [['', 'b']]],
  ['a=b=c', [['a', 'b=c']]],
  ['a+b%20c=%2B+%26', [['a b c', '+ &']]],
  ['a=%zz&%zz=b&c', Object.entries({ a: undefined, '%zz': undefined, c: '' })],
])('decodePairs reads the names and values of row %#', (encoded, expected) => {
  expect(decodePairs(encoded)).toEqual(expected)
})

test('Values that are shown again have 4096 bytes at most, but for those of one name', async () => {
  const long = 'ü'.repeat(2_049)
  const judge = (values: Readonly<Record<string, string | undefined>>) =>
    refuseLongValues(Object.entries({ ...values, claims: long }), 'claims')
  const message = 'is 4098 bytes long; at most 4096 are taken'
  const refusal = await refusalOf(() => judge({ a: undefined, 'b c': long }))
  expect(refusal).toMatchObject({ status: 400, message: `"b c" ${message}` })
  expect(judge({ a: 'ü'.repeat(2_048) })).toBeUndefined()
  expect(echoedText.parse('ü'.repeat(2_048))).toHaveLength(2_048)
  expect(echoedText.safeParse(long).error?.issues).toMatchObject([{ code: 'custom', message }])
})
