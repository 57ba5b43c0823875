import { Refusal } from '../../service/oidc/refusal.ts'
import { decodePairs } from '../../service/oidc/request/parameters.ts'
import type { Incoming } from './incoming.ts'

/** The fields of a form by name; an empty field is absent. */
export type Fields = Readonly<Record<string, string | undefined>>

/** The fields of a form sent by POST. @throws Refusal 415 for any other body */
export function readForm(request: Incoming): Fields {
  const mediaType = request.contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType === 'application/x-www-form-urlencoded')
    return filled(Buffer.from(request.body).toString('utf8'))
  throw Refusal.byHttp(
    415,
    `Content-Type: must be application/x-www-form-urlencoded, not ${mediaType ?? 'absent'}`,
    {
      title: 'Not a form',
    },
  )
}

export const readSearch = (request: Incoming): Fields => filled(request.query)

const filled = (encoded: string): Fields =>
  Object.fromEntries(
    decodePairs(encoded)
      .map(([name, value]) => [name, value?.trim()])
      .filter(([, value]) => value !== undefined && value !== ''),
  )

/**
 * Reads a number for a schema. Any other text stays as it is, so that the message quotes the text.
 */
export const numberOf = (text: string): number | string =>
  Number.isFinite(Number(text)) ? Number(text) : text

/** Whether one of the texts contains the search; case is ignored. */
export function contains(search: string, texts: readonly string[]): boolean {
  const wanted = search.toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(wanted))
}
