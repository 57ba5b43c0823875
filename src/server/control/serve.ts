import * as z from 'zod'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { decodeText } from '../../sandbox/files/decode-text.ts'
import { onDemand } from '../../sandbox/files/on-demand.ts'
import { isJsonObject } from '../../service/age/json-object.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { parseJson } from '../../service/oidc/request/json.ts'
import { decodePairs } from '../../service/oidc/request/parameters.ts'
import { foundInsteadOfJson, isJsonText } from '../../service/text/message-parts.ts'
import { guardControl } from '../http/guard/guard.ts'
import type { Handler, HttpHost, RouteRow } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { requireShortYaml } from '../http/read-body.ts'
import { eventStream, json, noContent, page, type Reply } from '../http/reply.ts'
import { OPERATION_IDS, OPERATIONS, type OperationId } from './contract/contract.ts'
import { NONE, type Operation } from './contract/operation.ts'
import type { RecordedFile } from './contract/recording-formats.ts'
import type { ControlAnswer } from './handler.ts'
import { describeApi } from './openapi.ts'
import { performControl } from './perform.ts'

/** The routes of the control API below `/_sandbox`, and of its OpenAPI document. */
export const createControlRoutes = (host: HttpHost): readonly RouteRow[] => [
  ...OPERATION_IDS.map((operationId): RouteRow => {
    const { path, method, mediaType, acceptsForm, isOpen } = OPERATIONS[operationId]
    const row: RouteRow = {
      path: `/_sandbox${path}`,
      method,
      handler: serveControl(operationId, host),
      openTo: isOpen ? 'every-page' : 'own-pages',
      isUrgent: isOpen,
    }
    return mediaType === 'text/html' || acceptsForm ? { ...row, errors: 'page' } : row
  }),
  { path: '/_sandbox/openapi.json', method: 'get', handler: serveOpenApi(host) },
]

const serveControl =
  (operationId: OperationId, host: HttpHost): Handler =>
  async (request, tenant) => {
    const operation = OPERATIONS[operationId]
    if (!operation.isOpen) guardControl(request, host.guard)
    const { params, signal } = request
    const input = {
      params,
      query: readQuery(request.query),
      body: await readBody(operation, request),
    }
    const context = { tenant, host, isForm: isOwnForm(operation, request), signal }
    return { reply: replyOf(await performControl(operationId, input, context)) }
  }

/** The documents of all tenants differ only in `servers`, so the rest is created once. */
function serveOpenApi(host: HttpHost): Handler {
  let shared: ReturnType<typeof describeApi> | undefined
  return async (request, { provider }) => {
    guardControl(request, host.guard)
    shared ??= describeApi(host.version)
    return { reply: json(200, { ...shared, servers: [{ url: `${provider.baseUrl}/_sandbox` }] }) }
  }
}

function replyOf({ status, cookies = [], body, page: shown, stream, file }: ControlAnswer): Reply {
  if (stream) return eventStream(stream)
  if (file) return fileReply(file)
  if (shown) return { ...page(status, shown), cookies }
  if (body === undefined) return { ...noContent(), cookies }
  return { ...json(status, body), cookies }
}

/** The reply with a recording. Its file name needs no escaping: `f12.test.ts`. */
const fileReply = ({ file_name: name, media_type: mediaType, text }: RecordedFile): Reply => ({
  status: 200,
  headers: {
    'Cache-Control': 'no-store',
    'Content-Type': `${mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${name}"`,
  },
  body: { kind: 'text', text },
})

function readQuery(query: string): Record<string, string> {
  const pairs = decodePairs(query)
  const names = pairs.map(([name]) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw Refusal.invalidRequest(`${repeated}: it is sent more than once; send it once`)
  const malformed = pairs.find(([, value]) => value === undefined)
  if (malformed) throw Refusal.invalidRequest(`${malformed[0]}: it is not well-formed UTF-8`)
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']))
}

const isOwnForm = ({ acceptsForm }: Operation, { contentType }: Incoming) =>
  acceptsForm && contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

/** Loaded with the first YAML body. */
const loadYaml = onDemand(() => import('../../sandbox/files/yaml-document.ts'))

/** The media type of YAML (RFC 9512), and older names. */
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml']

async function readBody(operation: Operation, request: Incoming): Promise<unknown> {
  if (!operation.acceptsYaml || !YAML_TYPES.includes(mediaTypeOf(request) ?? ''))
    return readJsonBody(operation, request)
  requireShortYaml(request.body.length)
  const text = decodeBody(request)
  const { parseYamlDocument } = await loadYaml()
  try {
    return parseYamlDocument(text, { file: 'body', schema: z.unknown() })
  } catch (error) {
    if (error instanceof ConfigError)
      throw Refusal.invalidRequest(error.message.replaceAll('\n', '; '))
    throw error
  }
}

const mediaTypeOf = ({ contentType }: Incoming) =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase()

function readJsonBody(operation: Operation, request: Incoming): unknown {
  if (operation.method === 'get') return undefined
  requireJson(operation, request)
  const takesBody = operation.body !== NONE
  const hasNone = request.body.length === 0 || isOwnForm(operation, request)
  if (hasNone) return takesBody ? {} : undefined
  const value = parseJsonBody(decodeBody(request))
  const saysNothing = isJsonObject(value) && Object.keys(value).length === 0
  if (!takesBody && !saysNothing)
    throw Refusal.invalidRequest('body: this call takes none; leave it out')
  return value
}

/**
 * Checks the media type of a state change. A form of another site cannot send `application/json`. A
 * call without body and media type is allowed where the operation has no body.
 * @throws Refusal 415
 */
function requireJson(operation: Operation, request: Incoming): void {
  const mediaType = mediaTypeOf(request)
  if (mediaType === 'application/json' || isOwnForm(operation, request)) return
  const hasNothing = request.body.length === 0 && mediaType === undefined
  if (hasNothing && operation.body === NONE) return
  const allowed = operation.acceptsYaml
    ? 'application/json or application/yaml'
    : 'application/json'
  throw Refusal.byHttp(415, `Content-Type: must be ${allowed}, not ${mediaType ?? 'absent'}`, {})
}

/** @throws Refusal 400 for a text that is not JSON, or JSON that was encoded twice */
function parseJsonBody(text: string): unknown {
  const json = parseJson(text)
  if (!json.ok) throw Refusal.invalidRequest(`body: it is not JSON: ${json.reason}`)
  if (typeof json.value === 'string' && isJsonText(json.value)) {
    throw Refusal.invalidRequest(
      `body: it must be a JSON object${foundInsteadOfJson(json.value)}; encode it once`,
    )
  }
  return json.value
}

/**
 * Decodes the body as UTF-8.
 * @throws Refusal 400 for malformed UTF-8, because a damaged name must not be kept silently
 */
function decodeBody({ body }: Incoming): string {
  const decoded = decodeText(body)
  if (decoded.ok) return decoded.text
  const { line, reason } = decoded
  throw Refusal.invalidRequest(`${line === undefined ? 'body' : `body:${line}`}: ${reason}`)
}
