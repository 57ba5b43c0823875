import type { Answer } from './http-client.ts'
import { tagsOf } from './markup.ts'

/** What came back to the relying party through the browser. */
export interface ReceivedCallback {
  readonly mode: 'fragment' | 'query' | 'form_post'
  /** Where it arrived; with its own query in the modes `fragment` and `form_post`. */
  readonly address: string
  /** By name; a name that came twice would be a defect. */
  readonly params: Readonly<Record<string, string>>
}

/** Reads a callback in any of the three response modes. @throws Error when the answer is none */
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

function readForm(answer: Answer): ReceivedCallback {
  const tags = answer.headers['content-type']?.startsWith('text/html') ? tagsOf(answer.text) : []
  const form = tags.find(({ name, attributes }) => name === 'form' && 'data-submit' in attributes)
  if (!form) throw new Error(`no callback: ${answer.status} ${answer.text.slice(0, 500)}`)
  const fields = tags.filter(({ name, attributes }) => name === 'input' && attributes['type'] === 'hidden')
  const sent = fields.map(({ attributes }): [string, string] => [attributes['name'] ?? '', attributes['value'] ?? ''])
  return { mode: 'form_post', address: form.attributes['action'] ?? '', params: once(sent) }
}

function once(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const params = Object.fromEntries(pairs)
  if (Object.keys(params).length !== pairs.length) throw new Error(`a parameter came twice: ${JSON.stringify(pairs)}`)
  return params
}
