import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Scalar,
  visit,
  type YAMLError,
} from 'yaml'
import type * as z from 'zod'
import { quote } from '../../service/text/message-parts.ts'
import { checkAgainst, formatPath, reportOf } from '../../service/text/schema-problems.ts'
import { messageOf } from './caught.ts'
import { ConfigError } from './config-error.ts'
import { readYamlTokens } from './yaml-tokens.ts'

/** The schema of a document, or a function that selects the schema by the kind of document. */
type DocumentSchema<S extends z.ZodType> = S | ((value: unknown) => S)

/**
 * Parses and validates the single YAML 1.2 document in `text`. JSON is YAML too.
 * @param options.file the name of the file in messages
 * @throws ConfigError with all problems in the order of their lines
 */
export function parseYamlDocument<S extends z.ZodType>(
  text: string,
  { file, schema }: { readonly file: string; readonly schema: DocumentSchema<S> },
): z.output<S> {
  const lines = new LineCounter()
  const document = withoutStackTraces(() => compose(text, lines))
  const lineAt = (offset: number) => lines.linePos(offset).line

  // A warning concerns something that the author meant and that would be ignored, so it counts as
  // an error.
  const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  // Only the first syntax error is reliable.
  if (first !== undefined)
    throw ConfigError.inFiles([{ file, line: lineAt(first.pos[0]), message: syntaxMessage(first) }])

  const targets = findAliasTargets(document)
  const repeated = reportOf(readKeys(document, targets))
  if (repeated.problems.length > 0) {
    const found = repeated.problems.map(({ offset, key }) => {
      return {
        file,
        line: lineAt(offset),
        message: `the key ${quote(key)} is given twice; keep one`,
      }
    })
    throw ConfigError.inFiles([...found, ...repeated.rest.map((message) => ({ file, message }))])
  }

  const value = toPlainValue(document, file)
  const checked = checkAgainst(typeof schema === 'function' ? schema(value) : schema, value)
  if (checked.kind === 'valid') return checked.value

  const problems = checked.problems.map(({ path, message }) => ({
    file,
    line: lineAt(offsetOf(document, path, targets)),
    message: path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  }))
  const rest = checked.rest.map((message) => ({ file, message }))
  throw ConfigError.inFiles([...problems.sort((a, b) => a.line - b.line), ...rest])
}

function compose(text: string, lines: LineCounter): Document.Parsed {
  // `uniqueKeys` would compare each key with all keys before it: 100,000 keys would take a minute.
  const composer = new Composer({ logLevel: 'error', uniqueKeys: false })
  const [document] = composer.compose(readYamlTokens(text, lines), true, text.length)
  if (document === undefined) throw new Error('the YAML library composed no document')
  return document
}

/**
 * The library creates an error for each mistake, but only the first is shown. Stack traces would
 * take most of the time.
 */
function withoutStackTraces<Result>(act: () => Result): Result {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return act()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

type AliasTargets = ReadonlyMap<Alias, Node>

/** Maps each alias to the value that it repeats: the last value before it with this anchor. */
function findAliasTargets(document: Document): AliasTargets {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      if (target !== undefined) targets.set(node, target)
    },
  })
  return targets
}

/**
 * Converts each key to its source text.
 * @returns keys that are repeated in their mapping, in the order of the file
 */
function readKeys(document: Document, targets: AliasTargets): { offset: number; key: string }[] {
  const repeated: { offset: number; key: string }[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>()
      for (const pair of items) {
        const node = isAlias(pair.key) ? targets.get(pair.key) : pair.key
        if (!isScalar(node)) continue
        // Decision: keys such as `18`, `1.10` and `true` are texts. A null key is the empty text.
        const key = node.value === null ? '' : (node.source ?? String(node.value))
        if (seen.has(key)) repeated.push({ offset: startOf(pair.key) ?? 0, key })
        seen.add(key)
        if (isScalar(pair.key)) pair.key.value = key
        else pair.key = new Scalar(key)
      }
    },
  })
  return repeated.sort((a, b) => a.offset - b.offset)
}

function toPlainValue(document: Document, file: string): unknown {
  if (document.contents === null)
    throw ConfigError.inFiles([{ file, line: 1, message: 'the file is empty' }])
  try {
    // `readYamlTokens` has already limited how much aliases repeat.
    return document.toJS({ maxAliasCount: -1 })
  } catch (cause) {
    // The library throws for an alias without an anchor.
    throw ConfigError.inFiles([{ file, message: shorten(messageOf(cause)) }], { cause })
  }
}

/**
 * The offset of the key or list item at `path`; for a missing key or item, the offset of its
 * nearest ancestor.
 */
function offsetOf(document: Document, path: readonly PropertyKey[], targets: AliasTargets): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const key of path) {
    const inner: unknown = isAlias(node) ? targets.get(node) : node
    if (isSeq(inner)) {
      node = inner.items[Number(key)]
      offset = startOf(node) ?? offset
    } else if (isMap(inner)) {
      const pair = inner.items.find((item) => isScalar(item.key) && item.key.value === String(key))
      if (pair === undefined) return offset
      offset = startOf(pair.key) ?? offset
      node = pair.value
    }
  }
  return offset
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)

function syntaxMessage(error: YAMLError): string {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'a tab indents this line; use spaces'
    case 'TAG_RESOLVE_FAILED':
    case 'BAD_COLLECTION_TYPE':
      return 'the tag does not fit its value; leave the tag out'
    default:
      return shorten(error.message)
  }
}

const MAX_MESSAGE = 200

/** Messages of the library repeat names and lines of any length. */
const shorten = (message: string) =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
