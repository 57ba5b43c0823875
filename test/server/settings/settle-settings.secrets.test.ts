import { expect, test } from 'vitest'
import { createMask } from '../../../src/sandbox/clients/mask.ts'
import { processSecrets } from '../../../src/server/settings/settle-settings.ts'

const PASSWORD = 'p%ss/wörd+1'
const ENCODED = encodeURIComponent(PASSWORD)

test.each([
  `redis://:${ENCODED}@localhost:6379/1`,
  `rediss://default:${ENCODED}@redis.example`,
  `valkey://user:${ENCODED}@localhost`,
  `valkeys://user:${ENCODED}@localhost`,
  `unix:///run/redis.sock?username=user&password=${ENCODED}&db=1`,
])('The password of the store %s is masked, encoded or not', (store) => {
  const mask = createMask(processSecrets({ store }))
  expect(mask({ state: `a ${PASSWORD}`, path: `/?x=${ENCODED}`, other: 'localhost' })).toEqual({
    state: 'a ***',
    path: '/?x=***',
    other: 'localhost',
  })
})

test('A process without a store masks its control token alone', () => {
  const mask = createMask(processSecrets({ controlToken: 'token-of-control' }))
  expect(mask({ a: 'token-of-control', b: 'x' })).toEqual({ a: '***', b: 'x' })
})
