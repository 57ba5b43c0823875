import * as z from 'zod'
import type { ControlRoute } from './control-route.ts'
import { errorShape } from './shapes.ts'

/** The OpenAPI 3.1 document of the control API, made from the schemas that parse its calls. */
export function createOpenApi(
  routes: readonly ControlRoute[],
  { version, serverUrl }: { version: string; serverUrl: string },
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: describe(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agekey-sandbox control API',
      version,
      description: 'Drives the sandbox: for tests only. State changes need Content-Type application/json.',
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: {
        control_token: { type: 'http', scheme: 'bearer', description: 'Asked for beyond loopback only' },
      },
    },
    security: [{}, { control_token: [] }],
  }
}

function describe(route: ControlRoute) {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const successes = Object.entries(route.responses).map(([status, schema]) => [
    status,
    { description: schema ? 'Done' : STATUS_TEXT[status], ...(schema ? jsonContent(schema, 'output') : {}) },
  ])
  return {
    operationId: route.operationId,
    summary: route.summary,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...queryParameters(route.query),
    ],
    ...(route.body ? { requestBody: { required: true, ...jsonContent(route.body, 'input') } } : {}),
    responses: {
      ...Object.fromEntries(successes),
      default: { description: 'Refused; nothing was changed', ...jsonContent(errorShape, 'output') },
    },
  }
}

const STATUS_TEXT: Readonly<Record<string, string>> = { 200: 'A page or a stream', 204: 'Done' }

function queryParameters(query: z.ZodType | undefined) {
  if (!(query instanceof z.ZodObject)) return []
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchema(schema, 'input'),
  }))
}

const jsonContent = (schema: z.ZodType, io: 'input' | 'output') => ({
  content: { 'application/json': { schema: jsonSchema(schema, io) } },
})

/** Inlined, so that each operation can be read on its own. */
function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return rest
}
