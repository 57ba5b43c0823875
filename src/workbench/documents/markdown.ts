import { Lexer, type Token, type Tokens } from 'marked'
import { headingText } from './plain-text.ts'

/** A heading of a document, with the text up to the next heading. */
export interface Section {
  /** The anchor of the heading on GitHub: `what-is-checked-and-why`. */
  readonly anchor: string
  readonly heading: string
  /** The level of the heading; 1 for the title of the document. */
  readonly depth: number
  readonly headingTokens: readonly Token[]
  readonly tokens: readonly Token[]
  /** The Markdown source of the section, including its heading. */
  readonly markdown: string
}

/** Splits a Markdown text into sections; the first one is the title. Front matter is left out. */
export function sectionsOf(markdown: string): readonly Section[] {
  const sections: { heading: Tokens.Heading; tokens: Token[] }[] = []
  for (const token of new Lexer().lex(markdown.replace(FRONT_MATTER, ''))) {
    if (isHeading(token)) sections.push({ heading: token, tokens: [] })
    else sections.at(-1)?.tokens.push(token)
  }
  const uses = new Map<string, number>()
  return sections.map(({ heading, tokens }) => {
    const text = headingText(heading)
    const slug = slugOf(text)
    const earlier = uses.get(slug) ?? 0
    uses.set(slug, earlier + 1)
    return {
      anchor: earlier === 0 ? slug : `${slug}-${earlier}`,
      heading: text,
      depth: heading.depth,
      headingTokens: heading.tokens,
      tokens,
      markdown: [heading, ...tokens].map(({ raw }) => raw).join(''),
    }
  })
}

/** Safe without parser extensions: only Markdown headings have this type. */
const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

/** The YAML block at the beginning of a skill. */
const FRONT_MATTER = /^---\n.*?\n---\n/s

/**
 * Creates an anchor as GitHub does: lower case, only letters, digits, hyphens and underscores, and
 * a hyphen for each blank.
 */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
