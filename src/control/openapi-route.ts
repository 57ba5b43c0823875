import { guardControl } from '../http/guard.ts'
import { json } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { createOpenApi } from './openapi.ts'
import { CONTROL_ROUTES } from './table.ts'

/** `GET /_sandbox/openapi.json`: the control API described for programs. */
export const openApiRoute =
  (host: HttpHost): Handler =>
  (request, { provider }) => {
    guardControl(request, host.guard, { changesState: false })
    const serverUrl = `${provider.baseUrl}/_sandbox`
    return { reply: json(200, createOpenApi(CONTROL_ROUTES, { version: host.version, serverUrl })) }
  }
