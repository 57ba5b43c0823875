import { expect, test } from 'vitest'
import {
  parseStoreAddress,
  storeAddressProblem,
} from '../../../../src/server/store/redis/redis-address.ts'

test.each([
  ['redis://localhost', 'redis://localhost', { url: 'redis://localhost' }],
  ['redis://user:secret@host:1/2', 'redis://host:1/2', { url: 'redis://user:secret@host:1/2' }],
  ['valkey://user:secret@host:1/2', 'valkey://host:1/2', { url: 'redis://user:secret@host:1/2' }],
  ['rediss://[::1]:1', 'rediss://[::1]:1', { url: 'rediss://[::1]:1' }],
  ['valkeys://host:1/', 'valkeys://host:1', { url: 'rediss://host:1/' }],
  ['unix:///run/redis.sock', 'unix:///run/redis.sock', { path: '/run/redis.sock', database: 0 }],
  ['unix:///a%20b.sock?db=3', 'unix:///a b.sock?db=3', { path: '/a b.sock', database: 3 }],
  [
    'unix:///r.sock?username=me&password=secret',
    'unix:///r.sock',
    { path: '/r.sock', database: 0, username: 'me', password: 'secret' },
  ],
])('The store %s is shown without a password', (text, shown, connection) => {
  expect(storeAddressProblem(text)).toBeUndefined()
  expect(parseStoreAddress(text)).toMatchObject({ shown, connection })
  expect(parseStoreAddress(text).isTls).toBe(/^(rediss|valkeys):/.test(text))
})

test.each([
  ['localhost:6379', 'localhost:// is not a store; a store looks like redis://localhost:6379'],
  ['/run/redis.sock', 'it is not a URL; a store looks like redis://localhost:6379'],
  ['http://localhost', 'http:// is not a store'],
  ['constructor://localhost', 'constructor:// is not a store'],
  ['redis:///1', 'the host is missing'],
  ['valkey://host/x', '"/x" is not the number of a database'],
  ['redis://host?db=1', 'it has a query or a fragment'],
  ['unix://run/redis.sock', 'the path must be absolute, after three slashes'],
  ['unix://', 'the path must be absolute'],
  ['unix:///r.sock?db=x', 'db "x" is not the number of a database'],
  [
    'unix:///r.sock?database=1',
    '"database" in the query means nothing here; it may name db, username, password',
  ],
  ['unix:///r%.sock', 'the path has a percent sign that begins no escape'],
  ['unix:///r.sock#1', 'it has a fragment'],
])('The store %s is refused: %s', (text, problem) => {
  expect(storeAddressProblem(text)).toContain(problem)
})
