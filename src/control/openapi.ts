import * as z from 'zod'
import { isJsonObject } from '../age/json-object.ts'
import type { ControlRoute } from './control-route.ts'
import { errorShape } from './shapes.ts'

/** The OpenAPI 3.1 document of the control API, made from the schemas that parse its calls. */
export function createOpenApi(
  routes: readonly ControlRoute[],
  { version, serverUrl }: { version: string; serverUrl: string },
) {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: describe(route, schemas) }
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
      schemas,
      securitySchemes: {
        control_token: { type: 'http', scheme: 'bearer', description: 'Asked for beyond loopback only' },
      },
    },
    security: [{}, { control_token: [] }],
  }
}

/** @param schemas gains the named schemas that the operation refers to. */
function describe(route: ControlRoute, schemas: Record<string, unknown>) {
  const toJsonSchema = (schema: z.core.$ZodType, io: 'input' | 'output') => {
    const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [name, named] of Object.entries($defs)) schemas[name] = referringToComponents(named)
    return referringToComponents(own)
  }
  const jsonContent = (schema: z.ZodType, io: 'input' | 'output') => ({
    content: { 'application/json': { schema: toJsonSchema(schema, io) } },
  })
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const queryShape = route.query instanceof z.ZodObject ? route.query.shape : {}
  const successes = Object.entries(route.responses).map(([status, schema]) => [
    status,
    { description: schema ? 'Done' : STATUS_TEXT[status], ...(schema ? jsonContent(schema, 'output') : {}) },
  ])
  return {
    operationId: route.operationId,
    summary: route.summary,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(queryShape).map(([name, schema]) => ({
        name,
        in: 'query',
        required: false,
        schema: toJsonSchema(schema, 'input'),
      })),
    ],
    ...(route.body ? { requestBody: { required: true, ...jsonContent(route.body, 'input') } } : {}),
    responses: {
      ...Object.fromEntries(successes),
      default: { description: 'Refused; nothing was changed', ...jsonContent(errorShape, 'output') },
    },
  }
}

const STATUS_TEXT: Readonly<Record<string, string>> = { 200: 'A page or a stream', 204: 'Done' }

/** OpenAPI keeps named schemas in `components/schemas`; JSON Schema keeps them in `$defs`. */
function referringToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referringToComponents)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([key, member]) => [
    key,
    key === '$ref' && typeof member === 'string'
      ? member.replace('#/$defs/', '#/components/schemas/')
      : referringToComponents(member),
  ])
  return Object.fromEntries(members)
}
