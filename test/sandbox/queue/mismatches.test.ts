import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { findMismatches as find } from '../../../src/sandbox/queue/mismatches.ts'

const mask = createMask(['sk_shop_1234', 'x'.repeat(190)])
const findMismatches = (expected: unknown, came: unknown) => find(expected, came, { mask })

test.each([
  ['sends more members', { a: 1 }, { a: 1, b: 2 }],
  ['sends more items', { a: [1] }, { a: [1, 2] }],
  ['sends the same text', { can_create: true, n: 18 }, { can_create: 'true', n: '18' }],
  ['sends more within an item', { a: [{ method: 'x' }] }, { a: [{ method: 'x', type: 'y' }] }],
  ['sends null where null is expected', { a: null }, { a: null }],
])('Nothing is missed when a request %s', (_, expected, came) => {
  expect(findMismatches(expected, came)).toEqual([])
})

test.each([
  [{ a: 1 }, {}, 'a', '1', 'nothing'],
  [{ a: { b: [13, 18] } }, { a: { b: [13, 21] } }, 'a.b[1]', '18', '21'],
  [{ a: [1, 2] }, { a: [1] }, 'a[1]', '2', 'nothing'],
  [{ a: { b: 1 } }, { a: 'text' }, 'a', '{"b":1}', '"text"'],
  [{ a: [1] }, { a: 1 }, 'a', '[1]', '1'],
  [{ a: null }, {}, 'a', 'null', 'nothing'],
  [{ toString: 'x' }, {}, 'toString', '"x"', 'nothing'],
])(
  'A mismatch of %j with %j names the place of the difference',
  (expected, came, path, wanted, sent) => {
    expect(findMismatches(expected, came)).toEqual([{ path, expected: wanted, came: sent }])
  },
)

test('A mismatch masks a member that is named like a secret', () => {
  expect(
    findMismatches({ client_secret: 'a', b: { access_token: 1 } }, { client_secret: 'b', b: {} }),
  ).toEqual([
    { path: 'client_secret', expected: '"***"', came: '"***"' },
    { path: 'b.access_token', expected: '"***"', came: 'nothing' },
  ])
})

test('A mismatch masks a configured secret before a long value is cut', () => {
  const nonce = `123456789012345${'x'.repeat(190)}`
  const came = {
    state: 'sk_shop_1234',
    claims: { a: ['is sk_shop_1234'] },
    nonce,
    long: 'y'.repeat(10_000),
  }
  expect(findMismatches({ state: 'a', claims: 1, nonce: 'sk_shop_1234', long: 1 }, came)).toEqual([
    { path: 'state', expected: '"a"', came: '"***"' },
    { path: 'claims', expected: '1', came: '{"a":["is ***"]}' },
    { path: 'nonce', expected: '"***"', came: '"123456789012345***"' },
    { path: 'long', expected: '1', came: expect.stringMatching(/^.{1,299}$/) },
  ])
})
