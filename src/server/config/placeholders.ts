import { isJsonObject } from '../../service/age/json-object.ts'
import { excerpt } from '../../service/text/message-parts.ts'
import type { SchemaProblem } from '../../service/text/schema-problems.ts'
import { type ExpandedTexts, placeOf } from './file/variables.ts'
import { isAddress, isSecret } from './setting-path.ts'

/**
 * Placeholders of common template languages. None of the forms is part of a usual address,
 * identifier or secret.
 */
const FORMS: readonly RegExp[] = [
  // ${HOST}, which is expanded in values of the config file only.
  /\$\{[^{}]*\}?/,
  // {{host}}, {% host %}
  /\{\{[^{}]*\}\}|\{%[^{}]*%\}/,
  // {host}, #{HOST}#, %{host}
  /[#%]?\{\s*\$?\w[\w .:-]*\}#?/,
  // <your-host>, <%= host %>
  /<[^<>]+>/,
  // %HOST%, but no percent-encoding: %C3%A9
  /%(?![\dA-Fa-f]{2}\w*%[\dA-Fa-f]{2})[A-Za-z_]\w*%/,
  // $(HOST), $[HOST], ((host)), $env:HOST
  /\$\([^()]*\)|\$\[[^[\]]*\]|\(\([^()]+\)\)|\$env:\w+/,
  // $HOST in capitals only, because addresses contain $filter and the like.
  /\$[A-Z][A-Z\d_]+/,
  // __HOST__, @HOST@
  /__[A-Z][A-Z\d_]*__|@[A-Z][A-Z\d_]*@/,
]

/** Further placeholders in the host of an address: $host, [host]. */
const IN_HOST =
  /(?<=^(?:[a-z][a-z\d+.-]*:\/\/)?[^/?#]*)\$[A-Za-z_]\w*|(?<=^[a-z][a-z\d+.-]*:\/\/)\[[^[\]:]*\]/

const anyOf = (forms: readonly RegExp[]) => forms.map(({ source }) => source).join('|')
const ANYWHERE = new RegExp(anyOf([...FORMS, IN_HOST]))
const WHOLE = new RegExp(`^(?:${anyOf(FORMS)})$`)

/**
 * Finds placeholders that were not replaced: anywhere in an address, and in another text only if
 * they are the whole text. Except in addresses, a value from an environment variable may look like
 * a placeholder.
 * @param options.remedy what to do, after "write the value itself"
 */
export function findPlaceholders(
  settings: unknown,
  { remedy = '', expanded = new Map() }: { remedy?: string; expanded?: ExpandedTexts } = {},
): SchemaProblem[] {
  const findAt = (value: unknown, path: readonly PropertyKey[]): SchemaProblem[] => {
    if (Array.isArray(value)) return value.flatMap((item, index) => findAt(item, [...path, index]))
    const inFile = expanded.get(placeOf(path))
    const text =
      typeof value === 'string'
        ? (inFile?.withoutEscapes ?? value)
        : unquotedPlaceholder(value, path)
    if (text !== undefined) {
      const placeholder = isAddress(path) ? placeholderInAddress(text) : WHOLE.exec(text)?.[0]
      if (placeholder === undefined || (inFile && !isAddress(path))) return []
      const shown = isSecret(path)
        ? placeholder.replaceAll(/[A-Za-z\d](?:[\w .:-]*[A-Za-z\d])?/g, '...')
        : placeholder
      const message = `${excerpt(shown)} is a placeholder that nothing has replaced; write the value itself${remedy}`
      return [{ path, message }]
    }
    if (!isJsonObject(value)) return []
    return Object.entries(value).flatMap(([key, member]) => findAt(member, [...path, key]))
  }
  return findAt(settings, [])
}

/**
 * Finds a placeholder in an address. User and password may contain any character, so only a whole
 * user or password counts.
 */
function placeholderInAddress(address: string): string | undefined {
  const parts = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)@(.*)$/is.exec(address)
  if (!parts) return ANYWHERE.exec(address)?.[0]
  const [, scheme = '', credentials = '', rest = ''] = parts
  const whole = credentials.split(':').find((part) => WHOLE.test(part))
  return whole ?? ANYWHERE.exec(scheme + rest)?.[0]
}

/** Restores `{host}`, which YAML reads as a mapping without quotation marks. */
function unquotedPlaceholder(value: unknown, path: readonly PropertyKey[]): string | undefined {
  const takesText =
    isAddress(path) || /(?:^|_)(?:id|secret|token|name|persona)$/.test(String(path.at(-1)))
  if (!takesText || !isJsonObject(value)) return undefined
  const [[key = '', member] = [], ...others] = Object.entries(value)
  return /^\w[\w .-]*$/.test(key) && member === null && others.length === 0 ? `{${key}}` : undefined
}
