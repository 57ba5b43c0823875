import { CST, Lexer, type LineCounter, Parser } from 'yaml'
import { excerpt, quote } from '../../service/text/message-parts.ts'

/** Maximum depth of lists and mappings, so that recursive code does not overflow the stack. */
const MAX_LEVELS = 64
const MAX_ALIASES = 100
/**
 * Maximum number of characters that all aliases of a document repeat: the maximum size of a JSON
 * body.
 */
const MAX_REPEATED = 64 * 1024

/**
 * The tags of the core schema (YAML 1.2 section 10.3). A `%TAG` directive could redefine them, so
 * it is refused.
 */
const TAGS = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq']
const READ_TAGS: ReadonlySet<string> = new Set(
  TAGS.flatMap((name) => [`!!${name}`, `!<tag:yaml.org,2002:${name}>`]),
)

/**
 * Splits a YAML text into the tokens of one document, from which the library composes values. A
 * text with a second document, with too many levels, or with a key, alias, tag or directive that is
 * not supported, ends with an error token instead of its document. Nothing has been composed then.
 * @param lines receives the start of each line
 */
export function readYamlTokens(text: string, lines: LineCounter): readonly CST.Token[] {
  const tokens: CST.Token[] = []
  let hasDocument = false
  for (const token of parse(text, lines)) {
    const problem =
      token.type === 'document' && hasDocument ? secondDocument(token) : problemOf(token)
    tokens.push(problem ?? token)
    if (problem !== undefined || token.type === 'error') break
    hasDocument ||= token.type === 'document'
  }
  return tokens
}

/**
 * The parser recurses for each open list and mapping, so their number is checked after each token.
 */
function* parse(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    const innermost = parser.stack.at(-1)
    if (innermost !== undefined && levelsOf(parser.stack) > MAX_LEVELS) {
      const message = `level ${MAX_LEVELS + 1} of lists and mappings begins here, and ${MAX_LEVELS} are read at most; nest them less`
      return yield problem(innermost.offset, message)
    }
  }
  yield* parser.end()
}

/** The stack holds the document, the open lists and mappings, and sometimes a scalar. */
const levelsOf = (stack: readonly CST.Token[]) =>
  stack.length - (CST.isCollection(stack.at(-1)) ? 1 : 2)

const problem = (offset: number, message: string): CST.ErrorToken => ({
  type: 'error',
  offset,
  source: '',
  message,
})

const secondDocument = ({ offset }: CST.Document) =>
  problem(offset, 'a second document begins here; write one document per file')

function problemOf(token: CST.Token): CST.ErrorToken | undefined {
  if (token.type === 'document') return findProblem(token)
  if (token.type !== 'directive' || /^%YAML[ \t]+1\.2$/.test(token.source)) return undefined
  return problem(
    token.offset,
    `the directive ${quote(token.source)} is not read; remove this line, or write %YAML 1.2`,
  )
}

/** A key or value: its properties (anchor and tag), and its token unless it is empty. */
interface Place {
  readonly properties: readonly CST.SourceToken[]
  readonly token: CST.Token | null | undefined
  readonly isKey: boolean
  /** Number of enclosing lists and mappings. */
  readonly depth: number
}

/** Iterative: recursion could overflow the stack, which this check exists to prevent. */
function findProblem({ start, value }: CST.Document): CST.ErrorToken | undefined {
  const anchors: Anchors = { named: new Map(), open: [], aliases: 0, size: 0, repeated: 0 }
  const pending: Place[] = [{ properties: start, token: value, isKey: false, depth: 0 }]
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const found = findTagProblem(place) ?? findKeyProblem(place) ?? passAnchors(anchors, place)
    if (found !== undefined) return found
    if (CST.isCollection(place.token)) {
      for (const inner of placesIn(place.token, place.depth + 1).toReversed()) pending.push(inner)
    }
  }
  return undefined
}

/** The keys and values of a list or mapping, in textual order. */
function placesIn(
  collection: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
  depth: number,
): Place[] {
  const isInBraces = collection.type === 'flow-collection' && collection.start.source === '{'
  const places: Place[] = []
  const items: readonly CST.CollectionItem[] = collection.items
  for (const { start, key, sep = [], value } of items) {
    const mark = find(start, 'explicit-key-ind') ?? find(sep, 'map-value-ind')
    // Braces may contain a key without a value.
    const isKey = mark !== undefined || isInBraces
    // The question mark or the colon stands for an empty key.
    const keyToken = key ?? mark
    if (keyToken !== undefined) places.push({ properties: start, token: keyToken, isKey, depth })
    places.push({
      properties: keyToken === undefined ? start : sep,
      token: value,
      isKey: false,
      depth,
    })
  }
  return places
}

const find = (tokens: readonly CST.SourceToken[], wanted: CST.SourceToken['type']) =>
  tokens.find(({ type }) => type === wanted)

function findTagProblem({ properties }: Place): CST.ErrorToken | undefined {
  const unknown = properties.find(({ type, source }) => type === 'tag' && !READ_TAGS.has(source))
  if (unknown === undefined) return undefined
  const known = TAGS.map((name) => `!!${name}`).join(', ')
  return problem(
    unknown.offset,
    `the tag ${excerpt(unknown.source)} is not read; leave it out, or write one of ${known}`,
  )
}

function findKeyProblem({ token, isKey }: Place): CST.ErrorToken | undefined {
  if (!isKey || token === undefined || token === null || token.type === 'alias' || isText(token))
    return undefined
  const { offset } = token
  if (
    token.type === 'scalar' ||
    token.type === 'explicit-key-ind' ||
    token.type === 'map-value-ind'
  ) {
    const remedy =
      'write the key, or put quotation marks around a text that begins with a colon or question mark'
    return problem(offset, `a key must be a text, found nothing; ${remedy}`)
  }
  if (token.type === 'block-map' || token.type === 'block-seq') {
    const kind = token.type === 'block-map' ? 'mapping' : 'list'
    return problem(offset, `a key must be a text, found a ${kind}; write a text before the colon`)
  }
  // The library reports an unclosed bracket and other misplaced tokens.
  if (token.type !== 'flow-collection' || token.end.length === 0) return undefined
  const { source: bracket } = token.start
  const kind = bracket === '{' ? 'mapping' : 'list'
  const remedy = `put quotation marks around a text that begins with ${bracket}`
  return problem(offset, `a key must be a text, found a ${kind}; ${remedy}`)
}

/** Whether a token is a text. An omitted value can be a scalar without characters. */
const isText = (token: CST.Token | null | undefined) =>
  CST.isScalar(token) && (token.type !== 'scalar' || token.source !== '')

/** A value with an anchor, which aliases repeat. */
interface Anchor {
  readonly depth: number
  readonly isText: boolean
  /** Number of characters before the value, including the text that aliases repeat. */
  readonly from: number
  /** Number of characters of the value, counted in the same way; absent until the value ends. */
  size?: number
}

/** The state of the document up to a place. */
interface Anchors {
  readonly named: Map<string, Anchor>
  /** The anchors of values that have not ended; the outermost value comes first. */
  readonly open: Anchor[]
  aliases: number
  size: number
  repeated: number
}

/** Counts the characters of a place, including the characters that its alias repeats. */
function passAnchors(anchors: Anchors, place: Place): CST.ErrorToken | undefined {
  const { named, open } = anchors
  const { properties, token, depth } = place
  for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
    last.size = anchors.size - last.from
    open.pop()
  }
  if (token?.type === 'alias') return passAlias(anchors, token, place)
  for (const { type, source } of properties) {
    if (type !== 'anchor') continue
    const anchor = { depth, isText: isText(token), from: anchors.size }
    named.set(source.slice(1), anchor)
    open.push(anchor)
  }
  if (CST.isCollection(token)) anchors.size += token.items.length
  else if (CST.isScalar(token)) anchors.size += token.source.length
  return undefined
}

function passAlias(
  anchors: Anchors,
  { offset, source }: CST.FlowScalar,
  { isKey }: Place,
): CST.ErrorToken | undefined {
  const anchor = anchors.named.get(source.slice(1))
  const name = `the alias ${excerpt(source)}`
  anchors.aliases += 1
  if (anchors.aliases > MAX_ALIASES) {
    return problem(
      offset,
      `${name} is number ${anchors.aliases}, and ${MAX_ALIASES} are read at most; write values out`,
    )
  }
  // The library reports an alias without an anchor.
  if (anchor === undefined) return undefined
  if (isKey && !anchor.isText) {
    return problem(offset, `a key must be a text, and ${name} repeats none; write the key out`)
  }
  if (anchor.size === undefined) {
    return problem(
      offset,
      `${name} stands inside of the value that it repeats; write the value out`,
    )
  }
  anchors.size += anchor.size
  anchors.repeated += anchor.size
  if (anchors.repeated <= MAX_REPEATED) return undefined
  const sum = `${anchors.repeated} characters up to here, and ${MAX_REPEATED} are read at most`
  return problem(offset, `the aliases repeat ${sum}; write fewer aliases`)
}
