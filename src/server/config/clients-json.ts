import { ConfigError } from '../../sandbox/files/config-error.ts'
import { isJsonObject } from '../../service/age/json-object.ts'

/**
 * Parses the list of clients in an environment variable: JSON, with the members of `clients` in the
 * config file.
 * @throws ConfigError with the reason. The message repeats no part of the text, which holds secrets
 */
export function parseClients(text: string | readonly string[]): unknown {
  const json = [text].flat().join()
  const clients = parsed(json)
  if (Array.isArray(clients)) {
    const index = clients.findIndex((client) => !isJsonObject(client))
    if (index < 0) return clients
    throw ConfigError.of(`item ${index} of the list is no client; ${EXAMPLE}`)
  }
  const found = isJsonObject(clients)
    ? 'one client; write it in square brackets'
    : `none; ${EXAMPLE}`
  throw ConfigError.of(`expected a list of clients as JSON, found ${found}`)
}

const EXAMPLE =
  'write [{"client_id": "web-shop", "client_secret": "...", "redirect_uris": ["https://shop.example/callback"]}]'

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    // The message of `JSON.parse` repeats a part of the text, so the place is found here.
    const at = breaksAt(json)
    const place =
      at === json.length
        ? `the text ends after ${json.length} characters, before its list does`
        : `the text of ${json.length} characters is no JSON from character ${at + 1} on`
    const remedy = MISTAKES.find(([looks]) => looks.test(json))?.[1] ?? EXAMPLE
    throw ConfigError.of(`expected a list of clients as JSON; ${place}: ${remedy}`, { cause })
  }
}

/** Common mistakes when JSON is put into a variable; the first that matches is reported. */
const MISTAKES: readonly (readonly [looks: RegExp, remedy: string])[] = [
  [/^\s*(['"`])\s*\[[\s\S]*\1\s*$/, 'leave out the quotation marks around the list'],
  [/^[\s[{]*\\"/, 'leave out the backslashes before the quotation marks'],
  [/^[\s[{]*'/, 'write double quotes instead of single ones'],
  [/^[\s[{]*[“”„]/, 'write plain double quotes instead of typographic ones'],
  [
    /^[\s[{]*[a-z_]+\s*:/i,
    'its double quotes are missing; put the list into single quotes, so that the shell keeps them',
  ],
  [/^\s*-\s/, 'a variable takes JSON; YAML stands in the config file'],
  [/(?:^|[[{,\s])(?:\/\/|\/\*)/, 'JSON has no comments; leave them out'],
  [/,\s*[}\]]/, 'leave out the comma before a closing bracket'],
]

const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?|true|false|null)(?![\w.])/iuy

/**
 * The kinds of token that may follow each kind: `s` is a string, `v` another value, the empty key
 * the beginning.
 */
const FOLLOWS: Readonly<Record<string, string>> = {
  '': '{[sv',
  '{': 's}',
  '[': '{[sv]',
  ',': '{[sv',
  ':': '{[sv',
  s: ',:]}',
  v: ',]}',
  '}': ',]}',
  ']': ',]}',
}

/**
 * Finds where a text stops being JSON: the index of a character, or the length of the text when its
 * end is missing.
 */
function breaksAt(json: string): number {
  const open: string[] = []
  let before = ''
  let isName = false
  for (let at = nextToken(json, 0); at < json.length; at = nextToken(json, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at
    const [token] = TOKEN.exec(json) ?? []
    if (token === undefined) return at
    const kind = kindOf(token)
    const isPlain = FOLLOWS[before]?.includes(kind) && (before === '' || open.length > 0)
    if (!isPlain || isName !== (kind === ':')) return at
    isName = kind === 's' && open.at(-1) === '{' && before !== ':'
    if (kind === '{' || kind === '[') open.push(kind)
    if ((kind === '}' || kind === ']') && open.pop() !== OPENED_BY[kind]) return at
    before = kind
  }
  return json.length
}

/** The index of the next character that is not white space. */
const nextToken = (json: string, at: number) =>
  at + (json.slice(at).length - json.slice(at).trimStart().length)

const OPENED_BY = { '}': '{', ']': '[' } as const

function kindOf(token: string): string {
  if (token.startsWith('"')) return 's'
  return token.length === 1 && '{}[],:'.includes(token) ? token : 'v'
}
