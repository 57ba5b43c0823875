import { formThatSendsItself } from './forms.ts'
import type { Answer } from './http-client.ts'

export interface ReceivedCallback {
  readonly mode: 'fragment' | 'query' | 'form_post'
  /** The address of the callback; with its own query in the modes `fragment` and `form_post`. */
  readonly address: string
  /** Parameters by name; a repeated name would be a bug. */
  readonly params: Readonly<Record<string, string>>
}

/**
 * Reads a callback in any of the three response modes.
 * @throws Error when the answer is no callback
 */
export function readCallback(answer: Answer): ReceivedCallback {
  const location = answer.headers.location
  if (location === undefined) return readForm(answer)
  const url = new URL(location)
  const mode = url.hash === '' ? 'query' : 'fragment'
  const sent = new URLSearchParams(mode === 'query' ? url.search : url.hash.slice(1))
  url.hash = ''
  if (mode === 'query') url.search = ''
  return { mode, address: url.href, params: once([...sent]) }
}

function readForm({ status, headers, text }: Answer): ReceivedCallback {
  const form = headers['content-type']?.startsWith('text/html')
    ? formThatSendsItself(text)
    : undefined
  if (!form) throw new Error(`no callback: ${status} ${text.slice(0, 500)}`)
  return { mode: 'form_post', address: form.action, params: once([...form.fields]) }
}

function once(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const params = Object.fromEntries(pairs)
  if (Object.keys(params).length !== pairs.length)
    throw new Error(`a parameter came twice: ${JSON.stringify(pairs)}`)
  return params
}
