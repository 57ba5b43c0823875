import { isJsonObject } from '../age/json-object.ts'
import { guardControl } from '../http/guard.ts'
import type { Incoming } from '../http/incoming.ts'
import type { Reply } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { shellOf } from '../http/shell.ts'
import { Refusal } from '../oidc/refusal.ts'
import { parseJson } from '../oidc/request/json.ts'
import { decodePairs } from '../oidc/request/parameters.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { ControlRoute } from './control-route.ts'

/** A control call as it comes over HTTP: guarded, parsed, done. */
export const serveControl =
  (route: ControlRoute, host: HttpHost): Handler =>
  async (request, tenant) => {
    const changesState = route.method !== 'get'
    if (!route.isOpen) guardControl(request, host.guard, { changesState })
    const given = {
      params: request.params,
      query: readQuery(request.query),
      body: readJsonBody(route, request),
      isForm: isOwnForm(route, request),
    }
    return { reply: await performControl(route, { ...given, signal: request.signal }, { tenant, host }) }
  }

/** What a caller gives, over HTTP or in the process. */
export interface ControlInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** A form of the sandbox's own pages, whose sender wants to see a page. */
  readonly isForm: boolean
  readonly signal: AbortSignal
}

/** Does a control call whose caller may do it. */
export function performControl(
  route: ControlRoute,
  input: ControlInput,
  { tenant, host }: { tenant: Tenant; host: HttpHost },
): Reply | Promise<Reply> {
  return route.run({ ...input, tenant, tenants: host.tenants, world: host, shell: shellOf(tenant, host.version) })
}

function readQuery(query: string): Record<string, string> {
  const pairs = decodePairs(query)
  const names = pairs.map(([name]) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw Refusal.invalidRequest(`${repeated}: it is sent more than once; send it once`)
  const malformed = pairs.find(([, value]) => value === undefined)
  if (malformed) throw Refusal.invalidRequest(`${malformed[0]}: it is not well-formed UTF-8`)
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']))
}

const isOwnForm = ({ acceptsForm }: ControlRoute, { contentType }: Incoming) =>
  acceptsForm && contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

/**
 * State changes need `application/json`: no form of another site can send it. Only a call that takes no body may come
 * with neither body nor type.
 */
function readJsonBody(route: ControlRoute, request: Incoming): unknown {
  if (route.method === 'get') return undefined
  const mediaType = request.contentType?.split(';', 1)[0]?.trim().toLowerCase()
  const isEmpty = request.body.length === 0
  const isBare = isEmpty && mediaType === undefined && !route.body
  if (mediaType !== 'application/json' && !isOwnForm(route, request) && !isBare) {
    throw Refusal.byHttp(415, `Content-Type: must be application/json, not ${mediaType ?? 'absent'}`, {})
  }
  if (isEmpty || isOwnForm(route, request)) return route.body ? {} : undefined
  const json = parseJson(Buffer.from(request.body).toString('utf8'))
  if (!json.ok) throw Refusal.invalidRequest(`body: it is not JSON: ${json.reason}`)
  const saysNothing = isJsonObject(json.value) && Object.keys(json.value).length === 0
  if (!route.body && !saysNothing) throw Refusal.invalidRequest('body: this call takes none; leave it out')
  return json.value
}
