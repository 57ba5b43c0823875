import { Lexer, type Token, type Tokens } from 'marked'
import { headingText } from './plain-text.ts'

/** A heading of a document with the text up to the next heading. */
export interface Section {
  /** The anchor that GitHub makes of the heading: `what-is-checked-and-why`. */
  readonly anchor: string
  readonly heading: string
  /** The level of the heading; 1 for the title of the document. */
  readonly depth: number
  readonly headingTokens: readonly Token[]
  readonly tokens: readonly Token[]
  /** The source of the section, heading included. */
  readonly markdown: string
}

/** The sections of a Markdown text; the first one has the title. Front matter is left out. */
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

/** Without extensions of the parser, only a heading of Markdown itself has this type. */
const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

/** The settings in YAML before the text of a skill. */
const FRONT_MATTER = /^---\n.*?\n---\n/s

/**
 * GitHub keeps letters, digits, hyphens and underscores of a heading, in lower case, and turns each
 * blank into a hyphen.
 */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
