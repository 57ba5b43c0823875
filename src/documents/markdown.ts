import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'

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
    if (isMarkedToken(token) && token.type === 'heading') sections.push({ heading: token, tokens: [] })
    else sections.at(-1)?.tokens.push(token)
  }
  const uses = new Map<string, number>()
  return sections.map(({ heading, tokens }) => {
    const text = plainText(heading.tokens)
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

/** The settings in YAML before the text of a skill. */
const FRONT_MATTER = /^---\n.*?\n---\n/s

/** GitHub keeps letters, digits, hyphens and underscores of a heading, in lower case, and turns each blank into a hyphen. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')

/** The visible text of tokens, without markup and raw HTML. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainTextOf).join('').replaceAll(/\s+/g, ' ')
}

function plainTextOf(token: Token): string {
  if (!isMarkedToken(token)) return ''
  switch (token.type) {
    case 'html':
    case 'hr':
    case 'def':
    case 'checkbox':
      return ''
    case 'br':
    case 'space':
      return ' '
    case 'code':
      return ` ${token.text} `
    case 'codespan':
    case 'escape':
    case 'image':
      return token.text
    case 'list':
      return token.items.map((item) => `${plainText(item.tokens)} `).join('')
    case 'table':
      return [token.header, ...token.rows]
        .map((row) => row.map((cell) => `${plainText(cell.tokens)} `).join(''))
        .join('')
    case 'text':
      return token.tokens === undefined ? token.text : `${plainText(token.tokens)} `
    case 'paragraph':
    case 'blockquote':
      return `${plainText(token.tokens)} `
    default:
      return plainText(token.tokens)
  }
}

const TYPES: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
])

/** Whether a token belongs to Markdown itself; other tokens need an extension of the parser. */
export function isMarkedToken(token: Token): token is MarkedToken {
  return TYPES.has(token.type)
}
