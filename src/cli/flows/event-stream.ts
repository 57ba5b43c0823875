import * as z from 'zod'
import { SandboxError, unreachable } from '../../client/sandbox-error.ts'
import { parseJson } from '../../oidc/request/json.ts'
import type { ReachedSandbox } from '../remote/reach-sandbox.ts'

/** What a sandbox sends: a call was answered, a scenario advanced, the tenant was reset. `open`: the connection stands. */
export type SandboxEvent =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'call'; readonly flow: string | undefined } & Readonly<z.infer<typeof callSchema>>)
  | { readonly kind: 'scenario'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'reset' }

const callSchema = z.object({
  id: z.string().nullish(),
  at: z.string(),
  endpoint: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
})

/**
 * The events of a sandbox from now on, until the connection ends.
 * @throws SandboxError when it cannot be reached, refuses, or the connection is lost
 */
export async function* streamEvents(
  { url, controlToken }: Pick<ReachedSandbox, 'url' | 'controlToken'>,
  signal: AbortSignal,
): AsyncGenerator<SandboxEvent> {
  const headers = controlToken === undefined ? {} : { Authorization: `Bearer ${controlToken}` }
  const response = await fetch(`${url}/_sandbox/events`, { headers, signal }).catch((cause: unknown) => {
    throw unreachable(url, cause)
  })
  if (!response.ok || response.body === null) {
    const message = `the sandbox answered ${response.status} to GET /_sandbox/events`
    throw new SandboxError(message, { status: response.status, error: 'server_error' })
  }
  yield { kind: 'open' }
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readEvent(block)
      if (event) yield event
    }
  }
}

/** `undefined` for a comment, and for an event of a flow: its calls say the same. */
function readEvent(block: string): SandboxEvent | undefined {
  const fieldOf = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = parseJson(fieldOf('data') ?? '')
  if (!data.ok) return undefined
  switch (fieldOf('event')) {
    case 'call': {
      const call = callSchema.safeParse(data.value).data
      return call && { kind: 'call', ...call, flow: call.id ?? undefined }
    }
    case 'scenario':
      return { kind: 'scenario', data: z.record(z.string(), z.unknown()).parse(data.value) }
    case 'reset':
      return { kind: 'reset' }
    default:
      return undefined
  }
}
