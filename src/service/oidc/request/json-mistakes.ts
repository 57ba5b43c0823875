/** The pattern of a malformed text, and the advice for it. */
type Mistake = readonly [looks: RegExp, remedy: string]

/**
 * What programs write when they convert an object to text without a JSON encoder: JavaScript, PHP,
 * Go, .NET, Ruby, Java.
 */
const TURNED_INTO_TEXT =
  /^(?:\[object |array ?\(|Array$|map\[|System\.|#<|\s*\{\s*\w+=|\s*[{[]\s*:?[^:]*=>)/

/**
 * A JSON object or array that was percent-encoded once or several times; its brackets may be plain.
 */
const PERCENT_ENCODED = /^\s*(?:[{[]\s*)*%(?:25)*(?:7B|5B|22|5D|7D)/i

/** Mistakes that the whole text shows. The first match applies. */
const OF_THE_WHOLE: readonly Mistake[] = [
  [/^\s*$/, 'it is empty'],
  [/^(?:undefined|None|nil|NaN)$/, 'a variable without a value was turned into text'],
  [TURNED_INTO_TEXT, 'an object was turned into text; use JSON.stringify'],
  [
    /^(?:age_thresholds|allowed_methods|overrides|verification_id|verified_at|provenance)$/,
    'only the name of a member arrived, because an object was sent as a list of its names; use JSON.stringify',
  ],
  [/\0/, 'it is UTF-16; send UTF-8'],
  [/^(?:\uFEFF|ï»¿)/, 'a byte order mark stands before it; remove the mark'],
  [/^[\w.%]+(?:\[[^\]]*\])*=/, 'it is a form'],
  [PERCENT_ENCODED, 'it is percent-encoded twice; encode it once'],
  [/^eyJ[\w-]+\.[\w-]*\.[\w-]*$/, 'it is a JWT; send the JSON text itself'],
  [
    /&(?:amp;)*(?:quot|#0*34|#x0*22);/i,
    'quotation marks were escaped for HTML; send the text as it was before',
  ],
  [
    /^\s*["'`‘’“”„]+(?:json\b)?\s*[{[]/,
    'quotation marks stand around it; send only the text between them',
  ],
  [
    /^\s*[{[][\s{[]*\\+["nrtu]/,
    'it was escaped twice, as text inside of text; send it without the backslashes',
  ],
  [/^\s*(?:- +)?\w+:(?:\s|$)/, 'it is YAML; send JSON'],
]

/** Mistakes outside the strings of the JSON text. The first match applies. */
const BETWEEN_TEXTS: readonly Mistake[] = [
  [/[“”„‟«»‘’‚″＂]/, 'write plain double quotes instead of typographic ones'],
  [/[{[,:]\s*'/, 'write double quotes instead of single ones'],
  [/[{[,:]\s*`/, 'write double quotes instead of backticks'],
  [/[{,]\s*[A-Za-z_$][\w$]*\s*:/, 'write names of members in double quotes'],
  [
    /[:,[]\s*(?:True|False|None|TRUE|FALSE|NULL|Null|nil)\b/,
    'write true, false and null in lower case',
  ],
  [
    /[:,[]\s*(?:undefined|NaN|[+-]?Infinity)\b/,
    'JSON has no undefined and no NaN; leave the member out',
  ],
  [/,\s*[}\]]/, 'remove the comma before a closing bracket'],
  [/,\s*,/, 'remove one of two commas'],
  [/\/[/*]/, 'remove the comments'],
  [/[:,[{]\s*\+/, 'remove the +: percent-encoding writes a blank as %20'],
]

/** JSON strings; the last string may be cut off. */
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs

/**
 * Explains why a text is not JSON: the likely cause, and the remedy. The text must not be valid
 * JSON.
 * @returns `undefined` when no cause is likely
 * @example
 * ```ts
 * jsonMistake('{"age_thresholds": [18],}') // 'remove the comma before a closing bracket'
 * ```
 */
export function jsonMistake(text: string): string | undefined {
  if (isBase64OfJson(text)) return 'it is base64; send the JSON text itself'
  const ofTheWhole = OF_THE_WHOLE.find(([looks]) => looks.test(text))
  if (ofTheWhole) return ofTheWhole[1]
  // The content of a string says nothing about the JSON around it.
  const between = text.replaceAll(TEXTS, '""')
  return BETWEEN_TEXTS.find(([looks]) => looks.test(between))?.[1] ?? wrongEnd(between)
}

/** Whether a text is base64 of JSON. A form decoder turns the `+` of base64 into a space. */
function isBase64OfJson(text: string): boolean {
  if (!/^[\w+/ -]+={0,2}\s*$/.test(text)) return false
  const decoded = Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')
  return /^\s*[{[]\s*["'{[\]}\d]/.test(decoded)
}

const CUT_OFF = 'it is cut off; send all of it, and percent-encode & and # in a query or a form'

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** Finds a text that ends before its brackets are closed, or that continues after them. */
function wrongEnd(between: string): string | undefined {
  const open: string[] = []
  let isClosed = false
  for (const [token] of between.matchAll(/[{}[\]"]|\S/g)) {
    if (isClosed) return 'something stands behind the JSON; send one value'
    const closing = CLOSING[token]
    if (closing !== undefined) open.push(closing)
    else if (token === '}' || token === ']') {
      if (open.pop() !== token) return undefined
      isClosed = open.length === 0
    } else if (open.length === 0) return undefined
  }
  return open.length === 0 ? undefined : CUT_OFF
}
