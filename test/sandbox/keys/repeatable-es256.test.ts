import { expect, test } from 'vitest'
import { signEs256 } from '../../../src/sandbox/keys/repeatable-es256.ts'

/** The key and two signatures of RFC 6979, appendix A.2.5. */
const KEY = 'c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721'

const SAMPLE =
  'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
  'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8'
const TEST =
  'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367' +
  '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083'

test.each([
  ['sample', SAMPLE],
  ['test', TEST],
])('ES256 signs %j as RFC 6979 does', (message, signature) => {
  expect(
    signEs256(Buffer.from(message), Buffer.from(KEY, 'hex').toString('base64url')).toString('hex'),
  ).toBe(signature)
})
