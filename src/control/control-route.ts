import type * as z from 'zod'
import type { Shell } from '../http/html/layout.ts'
import { parseWith } from '../http/parse.ts'
import type { Reply } from '../http/reply.ts'
import type { WorldControl } from '../http/world-control.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Tenants } from '../sandbox/tenants/tenants.ts'

export type ControlMethod = 'get' | 'post' | 'put' | 'delete'

/** What a control call is given, checked already. */
export interface ControlCall<Query, Body> {
  readonly tenant: Tenant
  readonly tenants: Tenants
  readonly world: WorldControl
  /** What surrounds a page. */
  readonly shell: Shell
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** Whether a form of the sandbox's own pages sent the call: answered by a page then. */
  readonly isForm: boolean
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
}

/** One call of the control API as data: the server, the OpenAPI document and the library read it. */
export interface ControlRoute {
  readonly method: ControlMethod
  /** Below `/_sandbox`, in the syntax of Express: `/personas/:name`. */
  readonly path: string
  /** What OpenAPI calls the operation. */
  readonly operationId: string
  readonly summary: string
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  /** What a success answers, by status; `undefined` for an empty body. */
  readonly responses: Readonly<Record<number, z.ZodType | undefined>>
  /** Whether a form of the sandbox's own pages may send the call. */
  readonly acceptsForm: boolean
  /** Whether the call is open to everybody, also beyond loopback without a token. */
  readonly isOpen: boolean
  /** Checks query and body, then does it. @throws Refusal, or an error of the room that refuses. */
  run(call: ControlCall<unknown, unknown>): Reply | Promise<Reply>
}

interface ControlRouteOptions<Query extends z.ZodType, Body extends z.ZodType> {
  method: ControlMethod
  path: string
  operationId: string
  summary: string
  query?: Query
  body?: Body
  responses: Readonly<Record<number, z.ZodType | undefined>>
  isOpen?: boolean
  acceptsForm?: boolean
  handle(call: ControlCall<z.output<Query>, z.output<Body>>): Reply | Promise<Reply>
}

/** A row of the control API whose handler is given what its schemas made of query and body. */
export function controlRoute<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  options: ControlRouteOptions<Query, Body>,
): ControlRoute {
  const { query, body, handle, isOpen = false, acceptsForm = false, ...row } = options
  return {
    ...row,
    isOpen,
    acceptsForm,
    query,
    body,
    run(call) {
      const checked = {
        ...call,
        query: query ? parseWith(query, call.query, 'query') : undefined,
        body: body ? parseWith(body, call.body, 'body') : undefined,
      }
      return handle(checked as ControlCall<z.output<Query>, z.output<Body>>)
    },
  }
}
