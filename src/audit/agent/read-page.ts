import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { ShownPage } from './browser.ts'

export type HtmlElement = DefaultTreeAdapterTypes.Element
type HtmlNode = DefaultTreeAdapterTypes.ChildNode
type Parent = DefaultTreeAdapterTypes.ParentNode

const MAX_WORD_CHARACTERS = 40
const MAX_EXCERPT_CHARACTERS = 120

/**
 * The distinct words of a page in lower case: title first, then visible text. A JSON page has one
 * word for each value, with its path: `age.verified=true`, `roles.0=member`. Identifiers and words
 * of more than 40 characters are left out; in JSON, `…` replaces them: `token=…`.
 */
export function wordsOf(page: ShownPage): readonly string[] {
  return [
    ...new Set(
      (isJson(page) && wordsOfJson(page.text)) || wordsIn(`${titleOf(page)} ${visibleText(page)}`),
    ),
  ]
}

export const titleOf = (page: ShownPage): string =>
  isHtml(page)
    ? (elementsBelow(documentOf(page), 'title').map((title) => textBelow(title))[0] ?? '')
    : ''

/**
 * The first visible sentence of a page, or the beginning of a text without sentences; at most 120
 * characters.
 */
export function firstSentence(page: ShownPage): string {
  const text = visibleText(page)
  const [sentence = text] = /^.+?[.!?](?=\s|$)/.exec(text) ?? []
  return sentence.length > MAX_EXCERPT_CHARACTERS
    ? `${sentence.slice(0, MAX_EXCERPT_CHARACTERS - 1)}…`
    : sentence
}

/** The `data-testid` of paragraphs in which the sandbox says why a flow ends at the page. */
const EXPLANATIONS = ['error-description', 'closed']

/** What a page of the sandbox says: its title, and why the flow ends at the page. */
export function explanationOf(page: ShownPage): string {
  const paragraphs = elementsBelow(documentOf(page), 'p')
  const why = paragraphs.find((it) => EXPLANATIONS.includes(attributeOf(it, 'data-testid') ?? ''))
  const said = [titleOf(page).replace(/ \(agekey-sandbox\)$/, ''), why && textBelow(why)]
    .filter(Boolean)
    .join(': ')
  return said || firstSentence(page) || `an empty page with status ${page.status}`
}

/**
 * The visible text of a page without the title. Each run of white space becomes one space. Empty
 * for media that are not text.
 */
export function visibleText(page: ShownPage): string {
  if (isHtml(page)) return textBelow(documentOf(page), isUnseen)
  const isText = page.mediaType === '' || page.mediaType.startsWith('text/') || isJson(page)
  return isText ? page.text.replace(/\s+/g, ' ').trim() : ''
}

export const isHtml = ({ mediaType, text }: ShownPage): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) ||
  (mediaType === '' && /^\s*</.test(text))

const isJson = ({ mediaType }: ShownPage) => /^application\/(?:\S+\+)?json$/.test(mediaType)

const isUnseen = (element: HtmlElement) =>
  /^(?:head|script|style|template|noscript)$/.test(element.tagName) ||
  attributeOf(element, 'hidden') !== undefined ||
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(
    attributeOf(element, 'style') ?? '',
  )

/** The words of a text without surrounding punctuation, in lower case. */
const wordsIn = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && !isNoise(word))
    .map((word) => word.toLowerCase())

/**
 * Whether a word is long (more than 40 characters) or an identifier: at least 16 characters with
 * digits, or with a capital after a lower-case letter.
 */
const isNoise = (word: string) =>
  word.length > MAX_WORD_CHARACTERS || (/^[\w+/=.-]{16,}$/.test(word) && /\d|[a-z][A-Z]/.test(word))

/**
 * Whether a string looks like another JSON type. It keeps its quotes: `18="true"`, not `18=true`.
 */
const isLiteral = (text: string) => /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text)

/**
 * The values of a JSON document with their paths, in order; `undefined` if the text is not JSON.
 */
function wordsOfJson(text: string): readonly string[] | undefined {
  const words: string[] = []
  function addWords(value: unknown, path: string): void {
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
    for (const [key, one] of inner) addWords(one, path === '' ? key : `${path}.${key}`)
    if (inner.length > 0) return
    const shown = typeof value === 'string' && !isLiteral(value) ? value : JSON.stringify(value)
    words.push(`${path === '' ? '' : `${path}=`}${isNoise(shown) ? '…' : shown}`.toLowerCase())
  }
  try {
    addWords(JSON.parse(text), '')
    return words
  } catch {
    return undefined
  }
}

/** Parses a page. The document is cached, because several functions read it. */
export function documentOf(page: ShownPage): Parent {
  const document = parsed.get(page) ?? parse(page.text)
  parsed.set(page, document)
  return document
}
const parsed = new WeakMap<ShownPage, Parent>()

/** Elements that do not separate words: `<b>W</b>elcome` is one word. */
const INLINE: readonly string[] =
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup u var wbr'.split(' ')

/** The nodes below a node in document order, with a space around each block element. */
function* nodesBelow(
  parent: Parent,
  skips?: (element: HtmlElement) => boolean,
): Generator<HtmlNode | ' '> {
  // Iterative: on a deeply nested page, recursion could overflow the stack.
  const open: (HtmlNode | ' ')[] = parent.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const element = node !== ' ' && 'tagName' in node ? node : undefined
    if (element && skips?.(element)) continue
    const isBlock = element && !INLINE.includes(element.tagName)
    if (isBlock) yield ' '
    yield node
    if (isBlock) open.push(' ')
    // One by one: passing many children as arguments of one call could overflow the stack.
    for (const child of element?.childNodes.toReversed() ?? []) open.push(child)
  }
}

/** The elements with one of these names below a node, in document order. */
export const elementsBelow = (
  parent: Parent,
  ...names: readonly string[]
): readonly HtmlElement[] =>
  [...nodesBelow(parent)].flatMap((it) =>
    it !== ' ' && 'tagName' in it && names.includes(it.tagName) ? it : [],
  )

export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

function textOf(node: HtmlNode | ' '): string {
  if (node === ' ') return node
  return 'value' in node ? node.value : ''
}

/** The text below a node. Runs of white space and borders of blocks become one space. */
export const textBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  [...nodesBelow(parent, skips)].map(textOf).join('').replace(/\s+/g, ' ').trim()
