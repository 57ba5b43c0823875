import { configSchema } from '../settings.ts'
import { type ExpandedTexts, mapTexts, placeOf } from './variables.ts'

/**
 * Converts expanded texts to numbers and booleans where the schema expects these: `${PORT}` is a
 * text, but its value `8080` is a port. A secret stays a text.
 */
export function withPlainValues(settings: unknown, expanded: ExpandedTexts): unknown {
  if (expanded.size === 0) return settings
  const issues = configSchema.safeParse(settings).error?.issues ?? []
  const wanted = issues.flatMap((issue) =>
    issue.code === 'invalid_type' && PLAIN_TYPES.includes(issue.expected)
      ? [placeOf(issue.path)]
      : [],
  )
  return mapTexts(settings, (text, path) => {
    const place = placeOf(path)
    return expanded.has(place) && wanted.includes(place) ? plainValue(text.trim()) : text
  })
}

const PLAIN_TYPES = ['number', 'int', 'boolean']

/** Reads a plain scalar as YAML 1.2 does: a number, a boolean, or the text itself. */
function plainValue(text: string): unknown {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : text
}
