import type { ControlRoute } from '../control/control-route.ts'
import type { Reply } from '../http/reply.ts'
import type { HttpHost } from '../http/route.ts'

/** What a control call is given. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** Makes control calls by the name of their operation. @throws SandboxError when a call is refused */
export interface Transport {
  call<Result>(operationId: string, input?: CallInput): Promise<Result>
}

/** A control call that the sandbox refused: it changed nothing. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly status: number
  /** The code, for example `invalid_request`. */
  readonly error: string
  /** The nearest names, when one was unknown. */
  readonly suggestions: readonly string[]

  constructor(status: number, body: unknown) {
    const said = typeof body === 'object' && body !== null ? { ...body } : {}
    const { error, error_description: description, suggestions } = said as Readonly<Record<string, unknown>>
    super(typeof description === 'string' ? description : `the sandbox answered ${status}`)
    this.status = status
    this.error = typeof error === 'string' ? error : 'server_error'
    this.suggestions = Array.isArray(suggestions) ? suggestions.map(String) : []
  }
}

/** Calls the control API of a sandbox in this process, of one of its tenants when `name` is given. */
export function createLocalTransport(host: HttpHost, name: string | undefined): Transport {
  return {
    async call(operationId, { params = {}, query = {}, body } = {}) {
      const route = await routeOf(operationId)
      const { performControl } = await import('../control/serve.ts')
      const input = { params, query: defined(query), body, isForm: false, signal: new AbortController().signal }
      const reply = await replyOf(host, async () =>
        performControl(route, input, { tenant: await host.tenants.touch(name), host }),
      )
      return resultOf(reply.status, reply.body)
    },
  }
}

/**
 * Calls the control API of a sandbox over HTTP.
 * @param options.baseUrl the base URL of the sandbox, or of a tenant of it.
 */
export function createRemoteTransport({ baseUrl, token }: { baseUrl: string; token: string | undefined }): Transport {
  return {
    async call(operationId, { params = {}, query = {}, body } = {}) {
      const route = await routeOf(operationId)
      const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      const search = new URLSearchParams(defined(query)).toString()
      const response = await reach(`${baseUrl}/_sandbox${path}${search === '' ? '' : `?${search}`}`, {
        method: route.method.toUpperCase(),
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(route.method === 'get' ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return resultOf(response.status, await response.text())
    },
  }
}

/** @throws Error that names the address, where `fetch` says only that it failed */
async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.cause : undefined
    const code = reason instanceof Error && 'code' in reason ? reason.code : undefined
    const { origin } = new URL(url)
    const message = code === 'ECONNREFUSED' ? 'nothing listens there' : `cannot be reached (${code ?? cause})`
    throw new Error(`${origin}: ${message}`, { cause })
  }
}

/** Loaded with the first call: a sandbox that nobody drives does without. */
async function routeOf(operationId: string): Promise<ControlRoute> {
  const { CONTROL_ROUTES } = await import('../control/table.ts')
  const route = CONTROL_ROUTES.find((row) => row.operationId === operationId)
  if (!route) throw new Error(`the control API has no operation ${operationId}`)
  return route
}

async function replyOf(host: HttpHost, run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run()
  } catch (error) {
    const { errorAnswer } = await import('../http/error-reply.ts')
    return (await errorAnswer(error, { host, tenant: host.tenants.root, incoming: IN_PROCESS })).reply
  }
}

/** Nobody to show a page to. */
const IN_PROCESS = { method: 'POST', path: '/_sandbox', contentType: undefined, wantsJson: true, wantsPage: false }

function resultOf<Result>(status: number, text: string): Result {
  const body: unknown = text === '' ? undefined : parse(text)
  if (status >= 400) throw new SandboxError(status, body)
  return body as Result
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const defined = (query: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
