import { Refusal } from '../../service/oidc/refusal.ts'
import { decodePairs } from '../../service/oidc/request/parameters.ts'
import type { Incoming } from './incoming.ts'

/** The fields of a form by name; an empty field is absent. */
export type Fields = Readonly<Record<string, string | undefined>>

/**
 * Reads the fields of a form in the body.
 * @throws Refusal 415 for another media type
 */
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
 * Converts a text to a number. Another text is returned unchanged, so that the schema can quote it.
 * @example
 * numberOf('12') // 12
 * numberOf('twelve') // 'twelve'
 */
export const numberOf = (text: string): number | string =>
  Number.isFinite(Number(text)) ? Number(text) : text

/**
 * Whether one of the texts contains `search`, in any case.
 * @example
 * contains('KEY', ['age_key', 'nonce']) // true
 */
export function contains(search: string, texts: readonly string[]): boolean {
  const wanted = search.toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(wanted))
}
