import { configSchema } from '../settings.ts'
import { type ExpandedTexts, mapTexts, placeOf } from './variables.ts'

/**
 * The settings with numbers and booleans in the place of expanded texts where the schema wants
 * them: `${PORT}` is a text, whose value `8080` is a port. A secret stays a text.
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

/**
 * The number or boolean that YAML 1.2 reads in a text without quotation marks; another text stays
 * as it is.
 */
function plainValue(text: string): unknown {
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : text
}
