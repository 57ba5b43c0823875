import { type DescribedLine, describeFlow } from '../../client/describe-flow.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { SandboxError } from '../../client/sandbox-error.ts'
import type { Flow } from '../../client/shapes.ts'
import type { Texts } from '../../config/text-settings.ts'
import { visible } from '../../files/visible.ts'
import { flowPageUrl } from '../remote/flow-line.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { paint, print } from '../terminal.ts'

/**
 * Explains a flow: how it went, why, its calls, and what a correct client does next.
 * @throws SandboxError when there is no such flow, or no sandbox
 */
export async function printFlow(
  id: string,
  flags: Texts,
  { json = false, ...address }: SandboxAddress & { readonly json?: boolean },
): Promise<void> {
  const { api, pages, requireTenant } = await reachSandbox(flags, address)
  await requireTenant()
  const flow = await findFlow(id, api)
  const page = flowPageUrl(flow, pages)
  if (json) return print(JSON.stringify({ ...flow, page }, undefined, 2))
  const [headline, ...rest] = describeFlow(flow).map(painted)
  for (const line of [headline, visible(page), ...rest]) print(line ?? '')
}

/** @throws SandboxError that names the newest flow, when there is none of this id */
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
