import { createRequire } from 'node:module'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { OPERATION_IDS } from '../../src/control/contract/contract.ts'
import { createOpenApi } from '../../src/control/openapi.ts'

const openApiOf = createOpenApi('1.2.3')
const document = openApiOf('http://localhost:2435/_sandbox')
// As clients read it.
const text = JSON.stringify(document)

/** The linter that openapi-typescript brings along. Its config `spec` has the rules of the specification alone. */
const { createConfig, lintFromString } = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'))(
  '@redocly/openapi-core',
)

test('The document is valid OpenAPI 3.1 by the rules of Redocly, which refuse a member that is unknown', async () => {
  const config = await createConfig({ extends: ['spec'] })
  const problemsIn = (source: string) => lintFromString({ source, config })
  expect(await problemsIn(text)).toEqual([])
  expect(await problemsIn(text.replace('"info":', '"inform":'))).toHaveLength(2)
})

test('The OpenAPI documents of two tenants differ by their server, and are built once', () => {
  const other = openApiOf('http://localhost:2435/t/other/_sandbox')
  expect(document.servers).toEqual([{ url: 'http://localhost:2435/_sandbox' }])
  expect(other.servers).toEqual([{ url: 'http://localhost:2435/t/other/_sandbox' }])
  expect(other.paths).toBe(document.paths)
  expect(other.components).toBe(document.components)
})

test('Every reference in the OpenAPI document points to a schema that it holds', () => {
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference)
  const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
  expect([...new Set(references)].sort()).toEqual(schemas.sort())
})

test('openapi-typescript makes types of every operation and every named shape', async () => {
  const types = astToString(await openapiTS(text))
  const [, operations = ''] = types.split('export interface operations {')
  for (const operationId of OPERATION_IDS) expect(operations).toContain(`\n    ${operationId}: {`)
  expect(types).toContain('"application/json": components["schemas"]["Flow"]')
  expect(types).toContain('"application/json": components["schemas"]["Error"]')
})
