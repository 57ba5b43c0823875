import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import type * as z from 'zod'
import { quote } from '../text/message-parts.ts'
import { checkAgainst, formatPath, reportOf } from '../text/schema-problems.ts'
import { messageOf } from './caught.ts'
import { ConfigError } from './config-error.ts'

/** Aliases in a file: enough for hand-written files, and few enough that nested aliases cannot fill the memory. */
const MAX_ALIASES = 100

/** The schema of a document, or a function that chooses it when a file may be one of several kinds. */
type DocumentSchema<S extends z.ZodType> = S | ((value: unknown) => S)

/**
 * Parses the single YAML 1.2 document in `text` (JSON is YAML too) and validates it. Messages name `file`.
 * @throws ConfigError with all problems in the order of their lines
 */
export function parseYamlDocument<S extends z.ZodType>(
  text: string,
  { file, schema }: { readonly file: string; readonly schema: DocumentSchema<S> },
): z.output<S> {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    // The library compares each key with all before it: 100,000 keys take a minute.
    uniqueKeys: false,
  })
  const lineAt = (offset: number) => lines.linePos(offset).line

  // A warning is about an unknown tag or directive, which the author meant and we would ignore.
  const [first] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  // Only the first error: after a syntax error the rest is guesswork.
  if (first !== undefined)
    throw ConfigError.inFiles([{ file, line: lineAt(first.pos[0]), message: syntaxMessage(first) }])

  const repeated = reportOf(findRepeatedKeys(document))
  if (repeated.problems.length > 0) {
    const found = repeated.problems.map(({ offset, message }) => ({ file, line: lineAt(offset), message }))
    throw ConfigError.inFiles([...found, ...repeated.rest.map((message) => ({ file, message }))])
  }

  const value = toPlainValue(document, file)
  const checked = checkAgainst(typeof schema === 'function' ? schema(value) : schema, value)
  if (checked.kind === 'valid') return checked.value

  const problems = checked.problems.map(({ path, message }) => ({
    file,
    line: lineAt(offsetOf(document, path)),
    message: path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  }))
  const rest = checked.rest.map((message) => ({ file, message }))
  throw ConfigError.inFiles([...problems.sort((a, b) => a.line - b.line), ...rest])
}

/** Keys that their mapping has already, in the order of the file. */
function findRepeatedKeys(document: Document): { offset: number; message: string }[] {
  const repeated: { offset: number; message: string }[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          const message = `the key ${quote(key.source ?? String(key.value))} is given twice; keep one`
          repeated.push({ offset: startOf(key) ?? 0, message })
        }
        seen.add(key.value)
      }
    },
  })
  return repeated.sort((a, b) => a.offset - b.offset)
}

function toPlainValue(document: Document, file: string): unknown {
  if (document.contents === null) throw ConfigError.inFiles([{ file, line: 1, message: 'the file is empty' }])
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (cause) {
    // The library throws for an alias without anchor and for more aliases than allowed.
    throw ConfigError.inFiles([{ file, message: messageOf(cause) }], { cause })
  }
}

/** Where the key or list item at `path` begins; for a missing one, where its nearest ancestor begins. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents
  let offset = document.contents?.range?.[0] ?? 0
  for (const key of path) {
    const inner: unknown = isAlias(node) ? node.resolve(document) : node
    if (isSeq(inner)) {
      node = inner.items[Number(key)]
      offset = startOf(node) ?? offset
    } else if (isMap(inner)) {
      const pair = inner.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
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
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; write one document per file'
    default:
      return error.message
  }
}
