import type { Sandbox } from '../../src/server/create-sandbox.ts'
import {
  type Changes,
  createRequest,
  pushedRequest,
  REDIRECT_URI,
  useRequest,
} from '../support/requests.ts'

type Address = Pick<Sandbox, 'baseUrl'>

/** The URL of an E1 request of the built-in client. */
export const useUrl = ({ baseUrl }: Address, changes: Changes = {}): string =>
  `${baseUrl}/v1/oidc/use?${new URLSearchParams(useRequest(changes))}`

/** The URL of the reasons for the answers of a persona, for a browser without scripts. */
export async function whyUrl(
  sandbox: Address,
  persona: string,
  changes: Changes = {},
): Promise<string> {
  const page = await (await fetch(useUrl(sandbox, changes))).text()
  const [, id = ''] = /name="transaction" value="([^"]+)"/.exec(page) ?? []
  return `${sandbox.baseUrl}/v1/oidc/use/why?${new URLSearchParams({ transaction: id, persona })}`
}

/** The URL of an E3 request of the built-in client, pushed a moment ago. */
export async function createUrl(
  { baseUrl }: Address,
  changes: Changes = {},
  pushed: Changes = {},
): Promise<string> {
  const { redirect_uri = REDIRECT_URI } = changes
  const body = new URLSearchParams(pushedRequest({ redirect_uri, ...pushed }))
  const response = await fetch(`${baseUrl}/v1/oidc/create/par`, { method: 'POST', body })
  const { request_uri } = (await response.json()) as { request_uri?: string }
  return `${baseUrl}/v1/oidc/create?${new URLSearchParams(createRequest(request_uri, changes))}`
}
