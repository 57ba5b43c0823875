import { type DescribedLine, describeFlow } from '../../../server/client/describe-flow.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import { SandboxError } from '../../../server/client/sandbox-error.ts'
import type { Flow } from '../../../server/client/shapes.ts'
import { visible } from '../../../service/text/visible.ts'
import { paint, print, printJson } from '../terminal.ts'
import type { ReachedSandbox } from './reach-sandbox.ts'

/**
 * Prints a flow: its result, the reasons, its calls, and what a correct client does next.
 * @throws SandboxError when the flow or the sandbox does not exist
 */
export async function printFlow(
  id: string,
  { api, pages }: Pick<ReachedSandbox, 'api' | 'pages'>,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const flow = await findFlow(id, api)
  const page = flowPageUrl(flow, pages)
  if (json) return printJson({ ...flow, page })
  const [headline, ...rest] = describeFlow(flow).map(painted)
  for (const line of [headline, visible(page), ...rest]) print(line ?? '')
}

/** @throws SandboxError when no flow has this id; the message names the newest flow */
export async function findFlow(id: string, { flows }: SandboxApi): Promise<Flow> {
  try {
    return await flows.get(id)
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 404) throw error
    const [newest] = await flows.list({ limit: 1 })
    const hint = newest ? `the newest one here is ${newest.id}` : 'there is none yet'
    throw new SandboxError(`${error.message}; ${hint}`, { ...error, cause: error })
  }
}

const COLORS = { title: 'bold', error: 'red', advice: 'yellow' } as const

const painted = ({ text, tone }: DescribedLine) =>
  tone === undefined ? visible(text) : paint(COLORS[tone], visible(text))

export const STATUS_COLORS = {
  ok: 'green',
  waiting: 'yellow',
  declined: 'yellow',
  error: 'red',
} as const

/** A flow in one line: `f12 use error: teen-16, ...`. */
export function flowLine({ id, flow, status, summary }: Flow): string {
  return `${paint('bold', id)} ${flow} ${paint(STATUS_COLORS[status], status)}: ${visible(summary)}`
}

/** The URL of a flow's page. @param pages the URL of the sandbox or tenant for browsers */
export const flowPageUrl = ({ id }: Pick<Flow, 'id'>, pages: string): string =>
  `${pages}/_sandbox/console/flows/${id}`
