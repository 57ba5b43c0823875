import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { OPERATION_IDS, OPERATIONS } from '../../src/control/contract/contract.ts'
import type { Operation } from '../../src/control/contract/operation.ts'

const operations = OPERATION_IDS.map((id): readonly [string, Operation] => [id, OPERATIONS[id]])

test('no two operations of the control API have the same method and path', () => {
  const routes = operations.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set(routes).size).toBe(routes.length)
})

describe('an operation of the control API', () => {
  test.each(operations)('%s declares the parameters that its path names', (_id, { path, params }) => {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect(params instanceof z.ZodObject ? Object.keys(params.shape) : []).toEqual(named)
  })

  test.each(operations)('%s takes no body when its method is GET', (_id, { method, body }) => {
    expect(method === 'get' && !(body instanceof z.ZodUndefined)).toBe(false)
  })

  test.each(operations)('%s has an empty result exactly when its status is 204', (_id, { statuses, result }) => {
    expect(result instanceof z.ZodUndefined).toBe(statuses.includes(204))
  })
})
