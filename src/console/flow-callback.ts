import * as z from 'zod'
import type { Flow } from '../sandbox/journal/journal.ts'

/** How the journal keeps an answer that sent the browser back: a redirect, or the fields of a form. */
const redirected = z.object({ location: z.string() })
const posted = z.object({ params: z.record(z.string(), z.string()) })

/** What the browser brought back to the relying party at the end of a flow; `undefined` when it has not. */
export function callbackOf({ calls }: Pick<Flow, 'calls'>): Readonly<Record<string, string>> | undefined {
  const last = calls.findLast(({ endpoint, response }) => BY_BROWSER.includes(endpoint) && paramsOf(response))
  return last && paramsOf(last.response)
}

const BY_BROWSER = ['E1', 'E3', 'choice']

function paramsOf(response: unknown): Readonly<Record<string, string>> | undefined {
  const form = posted.safeParse(response)
  if (form.success) return form.data.params
  const { data } = redirected.safeParse(response)
  if (data === undefined || !URL.canParse(data.location)) return undefined
  const { hash, search } = new URL(data.location)
  return Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)))
}
