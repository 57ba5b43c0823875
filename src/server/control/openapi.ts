import * as z from 'zod'
import { OPERATION_IDS, OPERATIONS, type OperationId } from './contract/contract.ts'
import { errorSchema, NONE } from './contract/operation.ts'

/**
 * The OpenAPI 3.1 document of the control API, derived from the schemas that parse its calls. The
 * caller adds `servers`.
 */
export function describeApi(version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = {}
  for (const operationId of OPERATION_IDS) {
    const { path, method } = OPERATIONS[operationId]
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method]: describe(operationId, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'agekey-sandbox control API',
      version,
      description:
        'Drives the sandbox: for tests only. State changes need Content-Type application/json, or another one that the call names.',
    },
    paths,
    components: {
      schemas,
      securitySchemes: {
        control_token: {
          type: 'http',
          scheme: 'bearer',
          description: 'Asked for beyond the machine of the sandbox only',
        },
      },
    },
    security: [{}, { control_token: [] }],
  }
}

/** @param schemas receives the named schemas that the operation refers to */
function describe(operationId: OperationId, schemas: Record<string, unknown>) {
  const { summary, params, query, body, result, mediaType, statuses, acceptsYaml, sendsFile } =
    OPERATIONS[operationId]
  const toJsonSchema = (schema: z.core.$ZodType, io: 'input' | 'output') => {
    const {
      $schema: _dialect,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [name, named] of Object.entries($defs)) schemas[name] = referringToComponents(named)
    return referringToComponents(own)
  }
  const bodyContent = () => {
    const schema = toJsonSchema(body, 'input')
    return {
      'application/json': { schema },
      ...(acceptsYaml && { 'application/yaml': { schema } }),
    }
  }
  const parameters = (place: 'path' | 'query', schema: z.ZodType) =>
    Object.entries(schema instanceof z.ZodObject ? schema.shape : {}).map(([name, one]) => ({
      name,
      in: place,
      required: place === 'path',
      schema: toJsonSchema(one, 'input'),
    }))
  const success = {
    description: SUCCESS[mediaType],
    ...(result === NONE
      ? {}
      : {
          content: {
            [mediaType]: { schema: toJsonSchema(result, 'output') },
            ...(sendsFile && { '*/*': {} }),
          },
        }),
  }
  return {
    operationId,
    summary,
    parameters: [...parameters('path', params), ...parameters('query', query)],
    ...(body === NONE ? {} : { requestBody: { required: true, content: bodyContent() } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, success])),
      default: {
        description: 'Refused; nothing was changed',
        content: { 'application/json': { schema: toJsonSchema(errorSchema, 'output') } },
      },
    },
  }
}

const SUCCESS = {
  'application/json': 'Done',
  'text/html': 'A page',
  'text/event-stream': 'Server-sent events',
}

/**
 * Changes references to named schemas: JSON Schema keeps these in `$defs`, OpenAPI in
 * `components/schemas`.
 */
const referringToComponents = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'))
