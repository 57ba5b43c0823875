import type { Page } from './browser.ts'
import { attributeOf, elementsBelow, type HtmlElement, parseHtml, textBelow } from './html-document.ts'

const MAX_WORD_CHARACTERS = 40
const MAX_EXCERPT_CHARACTERS = 120

/**
 * What a page says: the words of its title and its visible text in lower case, each once and in order. Of JSON each value with its
 * path: `age.verified=true`, `roles.0=member`. What is longer than 40 characters or looks like an identifier is left out; of JSON the
 * path stays: `token=…`.
 */
export function wordsOf(page: Page): readonly string[] {
  const json = isJson(page) ? parseJson(page.text) : undefined
  const words = json ? leavesOf(json.value) : wordsIn(`${titleOf(page)} ${visibleText(page)}`)
  return [...new Set(words)]
}

/** The text of `<title>`; empty when there is none. */
export function titleOf(page: Page): string {
  if (!isHtml(page)) return ''
  const [title] = elementsBelow(parseHtml(page.text), 'title')
  return title ? textBelow(title) : ''
}

/** The first sentence that a page shows, or of other text its beginning: at most 120 characters. */
export function firstSentence(page: Page): string {
  const text = visibleText(page)
  const [sentence = text] = /^.+?[.!?](?=\s|$)/.exec(text) ?? []
  return sentence.length > MAX_EXCERPT_CHARACTERS ? `${sentence.slice(0, MAX_EXCERPT_CHARACTERS - 1)}…` : sentence
}

/** What a page of the sandbox explains: its title, and the first paragraph that leads into it. */
export function explanationOf(page: Page): string {
  const paragraphs = elementsBelow(parseHtml(page.text), 'p')
  const lead = paragraphs.find((paragraph) => /\blead\b/.test(attributeOf(paragraph, 'class') ?? ''))
  const title = titleOf(page).replace(/ \(agekey-sandbox\)$/, '')
  return (
    [title, lead && textBelow(lead)].filter(Boolean).join(': ') ||
    firstSentence(page) ||
    `an empty page with status ${page.status}`
  )
}

/** The text that a page shows, without its title and with runs of white space as one blank; empty for a picture. */
export function visibleText(page: Page): string {
  if (!isHtml(page)) return isText(page) ? page.text.replace(/\s+/g, ' ').trim() : ''
  return textBelow(parseHtml(page.text), isUnseen)
}

export const isHtml = ({ mediaType, text }: Page): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) || (mediaType === '' && /^\s*</.test(text))

const isText = (page: Page) => page.mediaType === '' || page.mediaType.startsWith('text/') || isJson(page)
const isJson = ({ mediaType }: Page) => /^application\/(?:\S+\+)?json$/.test(mediaType)

const UNSEEN: readonly string[] = ['head', 'script', 'style', 'template', 'noscript']

const isUnseen = (element: HtmlElement) =>
  UNSEEN.includes(element.tagName) ||
  attributeOf(element, 'hidden') !== undefined ||
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributeOf(element, 'style') ?? '')

/** Words without the punctuation around them. */
const wordsIn = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '' && !isNoise(word))
    .map((word) => word.toLowerCase())

/** Long, or an identifier: of at least 16 characters, and with digits or with capitals after the first letter. */
const isNoise = (word: string) =>
  word.length > MAX_WORD_CHARACTERS || (/^[\w+/=.-]{16,}$/.test(word) && /\d|[a-z][A-Z]/.test(word))

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** A string that reads like another type keeps its quotes: `18="true"` is not `18=true`. */
const isLiteral = (text: string) => /^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text)

/** The values of a JSON document by their paths, in order. It may be nested deeply. */
function leavesOf(document: unknown): readonly string[] {
  const leaves: string[] = []
  const open: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: document }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (inner.length === 0) {
      const shown = typeof value === 'string' && !isLiteral(value) ? value : JSON.stringify(value)
      leaves.push(`${path === '' ? '' : `${path}=`}${isNoise(shown) ? '…' : shown}`.toLowerCase())
    }
    for (const [key, one] of inner.toReversed()) open.push({ path: path === '' ? key : `${path}.${key}`, value: one })
  }
  return leaves
}
