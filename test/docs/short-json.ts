import { isJsonObject } from '../../src/age/json-object.ts'

const WIDTH = 120

interface Limits {
  /** Items of a list that are shown; all when absent. */
  readonly maxItems?: number | undefined
  /** Characters of a text that are shown, with `…` behind them when there are more. */
  readonly maxCharacters?: number
}

/** JSON to read: what fits into a line stands in one. Long lists and texts are cut, so that it stays valid JSON. */
export const shortJson = (value: unknown, limits: Limits = {}): string => written(cut(value, limits), '')

function cut(value: unknown, limits: Limits): unknown {
  const { maxItems = Number.POSITIVE_INFINITY, maxCharacters = Number.POSITIVE_INFINITY } = limits
  if (typeof value === 'string') return value.length > maxCharacters ? `${value.slice(0, maxCharacters)}…` : value
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => cut(item, limits))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, limits)]))
}

function written(value: unknown, indent: string): string {
  const inLine = oneLine(value)
  if (`${indent}${inLine}`.length <= WIDTH) return inLine
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${written(item, inner)}`).join(',\n')}\n${indent}]`
  }
  if (!isJsonObject(value)) return inLine
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${written(member, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${indent}}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
