import { isJsonObject } from '../../age/json-object.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { SandboxError } from '../../client/sandbox-error.ts'
import type { CallRecord, Finding, Flow } from '../../client/shapes/flow.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { flowLine, flowPage } from '../remote/flow-line.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { paint, print, visible } from '../terminal.ts'

/**
 * Explains a flow: how it went, why, its calls, and what a correct client does next.
 * @throws SandboxError when there is no such flow, or no sandbox
 */
export async function explainFlow(
  id: string,
  flags: Texts,
  { json = false, ...address }: SandboxAddress & { readonly json?: boolean },
): Promise<void> {
  const { api, url, requireTenant } = await reachSandbox(flags, address)
  await requireTenant()
  const flow = await findFlow(id, api)
  const page = flowPage(flow, url)
  if (json) return print(JSON.stringify({ ...flow, page }, undefined, 2))
  for (const line of describeFlow(flow, page)) print(line)
}

async function findFlow(id: string, { flows }: SandboxApi): Promise<Flow> {
  try {
    return await flows.get(id)
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 404) throw error
    const [newest] = await flows.list({ limit: 1 })
    const hint = newest ? `the newest one here is ${newest.id}` : 'there is none yet'
    throw new SandboxError(`${error.message}; ${hint}`, { ...error, cause: error })
  }
}

/** The whole explanation, a line each. */
function describeFlow(flow: Flow, page: string): string[] {
  const { reasons = [], next_steps: next = [], calls } = flow
  const about = [
    ['persona', flow.persona],
    ['outcome', flow.outcome],
    ['client', flow.client_id],
    ['state', flow.state],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${visible(value)}`]))
  return [
    flowLine(flow),
    ...(about.length === 0 ? [] : [about.join(', ')]),
    page,
    ...section('Why', reasons.map(visible)),
    ...section('Calls', calls.flatMap(describeCall)),
    ...section('What a correct client does next', next.map(visible)),
  ]
}

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', paint('bold', title), ...lines.map((line) => `  ${line}`)]

const TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(ENDPOINTS).map(({ number, title }) => [number, title])),
  choice: 'The choice of the user',
  trap: 'An address that no client may follow',
}

function describeCall({ at, endpoint, method, path, status, response, findings }: CallRecord): string[] {
  const isFine = status > 0 && status < 400
  const shownStatus = paint(isFine ? 'green' : 'red', status === 0 ? 'dropped' : String(status))
  const answer = answerOf(response)
  return [
    `${at.slice(11, 19)}  ${endpoint} ${TITLES[endpoint] ?? ''}: ${method} ${visible(path)} ${shownStatus}${answer}`,
    ...findings.flatMap(describeFinding),
  ]
}

function describeFinding({ rule, level, message, hint }: Finding): string[] {
  const color = level === 'error' ? 'red' : 'yellow'
  return [`  ${paint(color, `${level} ${rule}`)}: ${visible(message)}`, `    To mend it: ${visible(hint)}`]
}

const MAX_ANSWER = 100

/** ` to http://localhost:3000/callback with id_token, state`, or what a refusal says. */
function answerOf(response: unknown): string {
  if (!isJsonObject(response)) return ''
  const { location, page, error, error_description: description } = response
  const text = [error, description].filter((part) => typeof part === 'string').join(': ')
  if (typeof location === 'string') return ` to ${redirectOf(location)}`
  if (text !== '') return ` ${shortened(text)}`
  return typeof page === 'string' ? ` page "${shortened(page)}"` : ''
}

/** The address with the names of its parameters; of an error also its code, which is short. */
function redirectOf(location: string): string {
  const [address = '', parameters = ''] = location.split(/[?#]/, 2)
  const names = [...new URLSearchParams(parameters)].map(([name, value]) =>
    name === 'error' ? `error=${value}` : name,
  )
  return shortened(address) + (names.length === 0 ? '' : ` with ${shortened(names.join(', '))}`)
}

const shortened = (text: string) => visible(text.length > MAX_ANSWER ? `${text.slice(0, MAX_ANSWER)}…` : text)
