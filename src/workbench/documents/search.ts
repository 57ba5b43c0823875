import MiniSearch from 'minisearch'
import { mapInTurns } from '../../sandbox/take-turn.ts'
import { findDocuments } from './documents.ts'
import { plainText } from './plain-text.ts'

/** A section that contains all words of a search. */
export interface FoundSection {
  /** The name of the document. */
  readonly document: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
  /** The text around a found word. */
  readonly excerpt: string
  /** The words of the section that match the search. */
  readonly terms: readonly string[]
}

/** Maximum number of sections in a result. */
export const MAX_FOUND = 30

interface IndexedSection extends Omit<FoundSection, 'excerpt' | 'terms'> {
  readonly id: string
  readonly text: string
}

let index: ReturnType<typeof createIndex> | undefined

/** Maximum number of characters of a query. */
export const MAX_QUERY = 200

/** Maximum number of words of a query, because each word may be the prefix of thousands. */
const MAX_WORDS = 12

/**
 * Finds the sections that contain all words of `query`, best first. The first 200 characters and 12
 * words count. A word may be incomplete or differ by one letter.
 */
export async function searchDocuments(
  query: string,
  limit: number = MAX_FOUND,
): Promise<readonly FoundSection[]> {
  index ??= createIndex()
  const { sections, engine, names } = await index
  const asked = query.slice(0, MAX_QUERY)
  const namesRow = wordsOf(asked).some((word) => isName(word.toLowerCase(), names))
  const weights = {
    ...(namesRow ? {} : LESS_WANTED),
    ...Object.fromEntries(CATALOGUES.map((name) => [name, namesRow ? 5 : 0.1])),
  }
  return engine
    .search(asked, { boostDocument: (id: string) => weights[id.slice(0, id.indexOf('#'))] ?? 1 })
    .slice(0, limit)
    .flatMap(({ id, terms }) => {
      const section = sections.get(String(id))
      if (section === undefined) return []
      const { document, title, heading, anchor, text } = section
      return [{ document, title, heading, anchor, excerpt: excerptOf(text, terms), terms }]
    })
}

/** Creates the index. That takes a few hundred milliseconds, so other requests run in between. */
async function createIndex() {
  const engine = new MiniSearch<IndexedSection>({
    fields: ['title', 'heading', 'text'],
    tokenize: (text) => wordsOf(text).flatMap((word) => [word, ...partsOf(word)]),
    searchOptions: {
      tokenize: (query) => [...new Set(wordsOf(query))].slice(0, MAX_WORDS),
      combineWith: 'AND',
      prefix: true,
      // Only plain words may differ by a letter: names and ids that do are different.
      fuzzy: (term) => (/^\p{L}{6,}$/u.test(term) ? 1 : false),
      boost: { heading: 4, title: 2 },
    },
  })
  const sections = findDocuments().flatMap(({ name, title, sections }) =>
    sections.map(({ anchor, heading, tokens }): IndexedSection => {
      return {
        id: `${name}#${anchor}`,
        document: name,
        title,
        heading,
        anchor,
        text: plainText(tokens).trim(),
      }
    }),
  )
  await mapInTurns(sections, (section) => engine.add(section))
  return {
    sections: new Map(sections.map((section) => [section.id, section])),
    engine,
    names: catalogueNames(),
  }
}

/**
 * Splits a text into words. `id_token.expired` and `PAR-07` are one word each; `partsOf` makes them
 * findable by their parts.
 */
const wordsOf = (text: string): string[] =>
  text.match(/[\p{L}\p{N}]+(?:[_.-][\p{L}\p{N}]+)*/gu) ?? []

/**
 * Reference pages contain nearly every word. They come first when the query names a row, otherwise
 * last.
 */
const CATALOGUES = ['rules', 'outcomes']

/**
 * Weights of pages that name nearly everything but explain little, so that guides come before them.
 */
const LESS_WANTED: Readonly<Record<string, number>> = {
  changelog: 0.2,
  security: 0.3,
  skill: 0.3,
  'control-api': 0.5,
  'command-line': 0.7,
}

/**
 * The ids of rules and the names of outcomes and readings, from the first column of the reference
 * pages.
 */
const catalogueNames = (): readonly string[] =>
  findDocuments()
    .filter(({ name }) => CATALOGUES.includes(name))
    .flatMap(({ markdown }) =>
      [...markdown.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name.toLowerCase()),
    )

/**
 * Whether a word is a name, or the beginning of a name if it contains a mark: `id_token.exp`, but
 * not `upgrade`.
 */
const isName = (word: string, names: readonly string[]) =>
  names.includes(word) || (/[_.-]/.test(word) && names.some((name) => name.startsWith(word)))

function partsOf(word: string): string[] {
  const parts = word.split(/[_.-]/)
  return parts.length === 1 ? [] : parts
}

const MAX_EXCERPT = 220

/** An excerpt that starts a few words before the longest matching term. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const longestFirst = terms.toSorted((one, other) => other.length - one.length)
  const place = longestFirst.map((term) => lower.indexOf(term)).find((found) => found >= 0) ?? 0
  const start = place < 60 ? 0 : text.lastIndexOf(' ', place - 50) + 1
  const end = start + MAX_EXCERPT
  const cut =
    text.length <= end ? text.slice(start) : `${text.slice(start, text.lastIndexOf(' ', end))} …`
  return start === 0 ? cut : `… ${cut}`
}
