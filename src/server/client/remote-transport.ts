import { onDemand } from '../../sandbox/files/on-demand.ts'
import type { OperationId, OperationResult } from '../control/contract/contract.ts'
import type { Transport } from './sandbox-api.ts'
import { SandboxError, unreachable } from './sandbox-error.ts'

/**
 * Creates the transport to the control API of a sandbox over HTTP.
 * @param options.baseUrl the base URL of the sandbox, or of a tenant
 * @param options.signal aborts calls in progress
 */
export function createRemoteTransport({
  baseUrl,
  token,
  signal,
}: {
  baseUrl: string
  token: string | undefined
  signal?: AbortSignal
}): Transport {
  const send = (method: string, path: string, body?: unknown) =>
    reach(`${baseUrl}/_sandbox${path}`, {
      method: method.toUpperCase(),
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(method === 'get' ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  return {
    async call(operationId, input) {
      const { OPERATIONS } = await loadContract()
      const { method, path } = OPERATIONS[operationId]
      const { params, query, body }: CallParts = input
      return resultIn(
        await send(method, `${fillPath(path, params)}${searchOf(query)}`, body),
        operationId,
      )
    },
    async lastEnded() {
      // Sent before anything is awaited, so that the sandbox receives it before the caller's next
      // request.
      const { last_ended: id } = await resultIn(await send('get', '/flows?since=now'), 'listFlows')
      return id
    },
  }
}

/**
 * Parses the answer.
 * @throws SandboxError when the answer is a refusal
 */
async function resultIn<Op extends OperationId>(
  { ok, status, text }: ReceivedAnswer,
  operationId: Op,
): Promise<OperationResult<Op>> {
  const { readError, readResult } = await loadContract()
  const answer = parse(text)
  if (ok) return readResult(operationId, answer)
  const { error, error_description: description, suggestions } = readError(answer)
  const message = description ?? `the sandbox answered ${status}`
  throw new SandboxError(message, { status, error: error ?? 'server_error', suggestions })
}

/**
 * Loaded with the first call, because the schemas cost 5 ms of CPU time and a start of the command
 * line does not need them.
 */
const loadContract = onDemand(() => import('../control/contract/contract.ts'))

/** The parts of a call. */
interface CallParts {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly body?: unknown
}

const fillPath = (path: string, params: CallParts['params'] = {}) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function searchOf(query: CallParts['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(pairs))}`
}

type ReceivedAnswer = Pick<Response, 'ok' | 'status'> & { readonly text: string }

/** @throws SandboxError with the address and the reason; `fetch` itself says only that it failed */
async function reach(url: string, init: RequestInit): Promise<ReceivedAnswer> {
  try {
    const response = await fetch(url, init)
    return { ok: response.ok, status: response.status, text: await response.text() }
  } catch (cause) {
    throw unreachable(url, cause)
  }
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
