import { expect, test } from 'vitest'
import * as z from 'zod'
import { catalogOperations } from '../../src/control/contract/catalog.ts'
import { OPERATION_IDS, OPERATIONS } from '../../src/control/contract/contract.ts'
import type { Operation } from '../../src/control/contract/operation.ts'
import { CATALOGUE_VERSION, OUTCOMES } from '../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../src/sandbox/outcomes/describe-outcome.ts'
import { startSandbox } from '../support/sandbox.ts'

const operations = OPERATION_IDS.map((id): readonly [string, Operation] => [id, OPERATIONS[id]])

test('No two operations of the control API have the same method and path', () => {
  const routes = operations.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set(routes).size).toBe(routes.length)
})

test.each(operations)('The operation %s declares the parameters that its path names', (_id, { path, params }) => {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  expect(params instanceof z.ZodObject ? Object.keys(params.shape) : []).toEqual(named)
})

test.each(operations)('The operation %s takes no body by GET, and has no result with 204 alone', (_id, operation) => {
  const { method, body, statuses, result } = operation
  expect(method === 'get' && !(body instanceof z.ZodUndefined)).toBe(false)
  expect(result instanceof z.ZodUndefined).toBe(statuses.includes(204))
})

test('GET catalog gives each outcome with every column, as its contract says, and the version of the catalogue', async () => {
  const { request } = await startSandbox()
  const { body } = await request.get('/_sandbox/catalog')
  expect(body).toMatchObject({ catalogue: CATALOGUE_VERSION, outcomes: OUTCOMES.map(describeOutcome) })
  expect(catalogOperations.getCatalog.result.parse(body)).toEqual(body)
})
