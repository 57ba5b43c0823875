import { createRequire } from 'node:module'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  CATALOGUE_VERSION,
  describeOutcome,
  OUTCOMES,
} from '../../../src/sandbox/outcomes/catalogue.ts'
import { OPERATION_IDS, OPERATIONS } from '../../../src/server/control/contract/contract.ts'
import { NONE, type Operation } from '../../../src/server/control/contract/operation.ts'
import { describeApi } from '../../../src/server/control/openapi.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const begun = performance.now()
const sandbox = await shareSandbox()
const ROUTES = OPERATION_IDS.map((operationId): Operation & { operationId: string } => ({
  operationId,
  ...OPERATIONS[operationId],
}))
const inOpenApi = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')

/** The tests below check the shape of the document. */
type Paths = Record<
  string,
  Record<string, { operationId: string; summary: string; responses: object }>
>
const readOpenApi = async (tenant = ''): Promise<{ servers: unknown; paths: Paths }> =>
  (await sandbox.request.get(`${tenant}/_sandbox/openapi.json`)).body

test('The OpenAPI documents of two tenants differ by their server', async () => {
  const [one, other] = [await readOpenApi(), await readOpenApi('/t/other')]
  expect(one.servers).toEqual([{ url: `${sandbox.baseUrl}/_sandbox` }])
  expect(other).toEqual({ ...one, servers: [{ url: `${sandbox.baseUrl}/t/other/_sandbox` }] })
})

test('openapi.json describes every operation, each with a summary', async () => {
  const document = await readOpenApi()
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary }]) => [
      `${method} ${path} ${operationId}`,
      summary,
    ]),
  )
  const given = ROUTES.map((row) => [
    `${row.method} ${inOpenApi(row.path)} ${row.operationId}`,
    row.summary,
  ])
  expect(described.sort()).toEqual(given.sort())
})

test('Every operation has a route of its own', () => {
  expect(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`))).toHaveProperty(
    'size',
    ROUTES.length,
  )
})

test('Every operation declares the parameters of its path', () => {
  for (const { method, path, params, body, statuses, result } of ROUTES) {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect(params instanceof z.ZodObject ? Object.keys(params.shape) : []).toEqual(named)
    if (method === 'get') expect(body, path).toBe(NONE)
    expect(result === NONE, path).toEqual(statuses.includes(204))
  }
})

/** A call for each operation that succeeds in a fresh sandbox, one after the other. */
const CALLS: Readonly<Record<string, { path?: string; body?: object; status?: number }>> = {
  putPersonas: { body: { personas: [{ name: 'ben', title: 'Ben', purpose: 'A test.' }] } },
  putPersona: { path: '/personas/me', body: { title: 'Me', purpose: 'A test.' }, status: 201 },
  getPersona: { path: '/personas/teen-16' },
  deletePersona: { path: '/personas/teen-16', status: 204 },
  evaluate: { body: { claims: { age_thresholds: [18] }, persona: 'adult-passport' } },
  addExpectation: { body: { flow: 'use', persona: 'adult-passport' }, status: 201 },
  clearExpectations: { status: 204 },
  moveClock: { body: { advance: 1 } },
  showActAs: { path: '/act-as/adult-passport' },
  actAs: { path: '/act-as/adult-passport' },
  stopActing: { status: 204 },
  armScenario: { body: { name: 'A', steps: [{ await: 'par' }] }, status: 201 },
  clearScenarios: { status: 204 },
  rotateKeys: { body: { stage: 'publish' } },
  putTenant: { path: '/tenants/one', body: {}, status: 201 },
  getTenant: { path: '/tenants/default' },
  deleteTenant: { path: '/tenants/one', status: 204 },
  reset: { status: 204 },
  clearCoverage: { status: 204 },
}
const CATALOGUE = { catalogue: CATALOGUE_VERSION, outcomes: OUTCOMES.map(describeOutcome) }
/** Made by other calls, or endless. */
const ELSEWHERE = [
  'getFlow',
  'exportFlow',
  'getScenario',
  'removeExpectation',
  'removeScenario',
  'streamEvents',
]

test('Every path of openapi.json answers as described', async () => {
  const { paths } = await readOpenApi()
  for (const { method, path, operationId, mediaType, result } of ROUTES) {
    if (ELSEWHERE.includes(operationId)) continue
    const { body, status = 200, ...call } = CALLS[operationId] ?? {}
    const answer = await sandbox.request[method](`/_sandbox${call.path ?? path}`).send(body)
    expect({ operationId, status: answer.status }).toEqual({ operationId, status })
    expect(paths[inOpenApi(path)]?.[method]?.responses).toHaveProperty(String(status))
    if (mediaType === 'application/json' && result !== NONE)
      expect(result.parse(answer.body)).toEqual(answer.body)
    if (operationId === 'getHealth')
      expect(answer.body.uptime).toBeLessThan((performance.now() - begun) / 1000)
    if (operationId === 'getCatalog') expect(answer.body).toMatchObject(CATALOGUE)
  }
})

test.each(ROUTES.filter((row) => row.body !== NONE))(
  '$method $path refuses a list for a body',
  async ({ method, path }) => {
    const address = `/_sandbox${path.replace(':name', 'adult-passport')}`
    const { body } = await sandbox.request[method](address).send([]).expect(400)
    expect(body).toMatchObject({ error: 'invalid_request', error_description: expect.any(String) })
  },
)

test('A reset takes an empty body', () =>
  sandbox.request.post('/_sandbox/reset').send({}).expect(204))

test('The control API refuses another method with 405', async () => {
  await sandbox.clock.advance(5)
  const answer = await sandbox.request.patch('/_sandbox/clock')
  expect(answer.status).toBe(405)
  expect(answer.headers.allow).toBe('GET, HEAD, POST')
  for (const path of ['reset', 'keys/rotate'])
    await sandbox.request.get(`/_sandbox/${path}`).expect(405)
  await sandbox.request.get('/_sandbox/nothing').expect(404)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(5)
})

const document = describeApi('1.2.3')
// As clients read it.
const text = JSON.stringify(document)

/**
 * The linter that openapi-typescript brings along. Its config `spec` has the rules of the
 * specification alone.
 */
const { createConfig, lintFromString } = createRequire(
  createRequire(import.meta.url).resolve('openapi-typescript'),
)('@redocly/openapi-core')

test('The document is valid OpenAPI 3.1 by the rules of Redocly, which refuse a member that is unknown', async () => {
  const config = await createConfig({ extends: ['spec'] })
  const problemsIn = (source: string) => lintFromString({ source, config })
  expect(await problemsIn(text)).toEqual([])
  expect(await problemsIn(text.replace('"info":', '"inform":'))).toHaveLength(2)
})

test('Every reference in the OpenAPI document points to a schema that it holds', () => {
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference)
  const schemas = Object.keys(document.components.schemas).map(
    (name) => `#/components/schemas/${name}`,
  )
  expect([...new Set(references)].sort()).toEqual(schemas.sort())
})

test('openapi-typescript makes types of every operation', async () => {
  const types = astToString(await openapiTS(text))
  const [, operations = ''] = types.split('export interface operations {')
  for (const operationId of OPERATION_IDS) expect(operations).toContain(`\n    ${operationId}: {`)
})

test('openapi-typescript makes types of every named shape', async () => {
  const types = astToString(await openapiTS(text))
  expect(types).toContain('"application/json": components["schemas"]["Flow"]')
  expect(types).toContain('"application/json": components["schemas"]["Error"]')
})
