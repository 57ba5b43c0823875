import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { breakable } from '../../server/http/html/elements.ts'
import { type Html, html } from '../../server/http/html/html.ts'

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
    if (isMarkedToken(token) && token.type === 'heading')
      sections.push({ heading: token, tokens: [] })
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

/**
 * GitHub keeps letters, digits, hyphens and underscores of a heading, in lower case, and turns each
 * blank into a hyphen.
 */
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

/**
 * The URL of a link or an image in a document; `undefined` when its target is not served, so that
 * no link is made.
 */
export type FindAddress = (target: string) => string | undefined

/**
 * Renders a section of a document. Each text passes the `html` tag, so that nothing of a document
 * becomes markup; of raw HTML only pictures and line breaks are shown.
 */
export function renderSection(
  { anchor, depth, headingTokens, tokens }: Section,
  addressOf: FindAddress,
): Html {
  const tag = `h${depth}`
  // The title of the document is the heading of the page.
  const heading =
    depth > 1 && html`<${tag} id="${anchor}">${inline(headingTokens, addressOf)}</${tag}>\n`
  return html`${heading}${tokens.map((token) => block(token, addressOf))}`
}

function block(token: Token, addressOf: FindAddress): Html | string | undefined {
  if (!isMarkedToken(token)) return undefined
  switch (token.type) {
    case 'paragraph':
      return html`<p>${inline(token.tokens, addressOf)}</p>\n`
    case 'code':
      return html`<div class="snippet" data-copy><pre tabindex="0"><code>${token.text}</code></pre></div>\n`
    case 'list':
      return list(token, addressOf)
    case 'table':
      return table(token, addressOf)
    case 'blockquote':
      return html`<blockquote>${token.tokens.map((inner) => block(inner, addressOf))}</blockquote>\n`
    case 'hr':
      return html`<hr>\n`
    case 'html':
      return pictureBlock(pictures(token.text, addressOf))
    case 'space':
    case 'def':
    case 'checkbox':
      return undefined
    default:
      return inline([token], addressOf)
  }
}

function list({ ordered, start, items }: Tokens.List, addressOf: FindAddress): Html {
  const rendered = items.map(
    ({ tokens }) => html`<li>${tokens.map((token) => block(token, addressOf))}</li>\n`,
  )
  return ordered
    ? html`<ol${start !== '' && start !== 1 && html` start="${start}"`}>\n${rendered}</ol>\n`
    : html`<ul>\n${rendered}</ul>\n`
}

/** On a phone each row is a block whose cells show the names of their columns. */
function table({ header, rows }: Tokens.Table, addressOf: FindAddress): Html {
  const cells = (row: Tokens.TableCell[]) =>
    row.map(({ tokens }, index) =>
      index === 0
        ? html`<th scope="row">${inline(tokens, addressOf)}</th>`
        : html`<td data-label="${header[index]?.text.replaceAll('`', '')}">${inline(tokens, addressOf)}</td>`,
    )
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>
<thead><tr>${header.map(({ text, tokens }) => (text === '' ? html`<td></td>` : html`<th scope="col">${inline(tokens, addressOf)}</th>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody>
</table></div>\n`
}

function inline(tokens: readonly Token[], addressOf: FindAddress): Html {
  return html`${tokens.map((token) => span(token, addressOf))}`
}

function span(token: Token, addressOf: FindAddress): Html | string | undefined {
  if (!isMarkedToken(token)) return undefined
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? token.text : inline(token.tokens, addressOf)
    case 'escape':
      return token.text
    case 'codespan':
      return html`<code>${breakable(token.text)}</code>`
    case 'strong':
      return html`<strong>${inline(token.tokens, addressOf)}</strong>`
    case 'em':
      return html`<em>${inline(token.tokens, addressOf)}</em>`
    case 'del':
      return html`<del>${inline(token.tokens, addressOf)}</del>`
    case 'br':
      return html`<br>`
    case 'link':
      return link(token, addressOf)
    case 'image':
      return image(token, addressOf)
    case 'html':
      return token.text === '<br>' ? html`<br>` : html`${pictures(token.text, addressOf)}`
    default:
      return undefined
  }
}

function link({ href, tokens }: Tokens.Link | Tokens.Image, addressOf: FindAddress): Html {
  const [address, text] = [addressOf(href), inline(tokens, addressOf)]
  return address === undefined ? text : html`<a href="${address}">${text}</a>`
}

function image({ href, text }: Tokens.Image, addressOf: FindAddress): Html | string {
  const address = addressOf(href)
  return address === undefined ? text : html`<img src="${address}" alt="${text}" loading="lazy">`
}

/**
 * Pictures of raw HTML, which can name another picture for dark pages; GitHub offers no other way.
 */
function pictures(markup: string, addressOf: FindAddress): readonly Html[] {
  const found = [...markup.matchAll(/<picture>.*?<\/picture>|<img\b[^>]*>/gs)].map(
    ([picture]) => picture,
  )
  return found.flatMap((picture) => {
    const attribute = (name: string) => RegExp(` ${name}="([^"]+)"`).exec(picture)?.[1]
    const addressIn = (target: string | undefined) =>
      target === undefined ? undefined : addressOf(target)
    const [light, dark] = [addressIn(attribute('src')), addressIn(attribute('srcset'))]
    if (light === undefined) return []
    const source =
      dark !== undefined && html`<source media="(prefers-color-scheme: dark)" srcset="${dark}">`
    return [
      html`<picture>${source}<img src="${light}" alt="${attribute('alt')}" loading="lazy"></picture>`,
    ]
  })
}

const pictureBlock = (shown: readonly Html[]): Html | undefined =>
  shown.length === 0 ? undefined : html`<div class="pictures">${shown}</div>\n`

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
function isMarkedToken(token: Token): token is MarkedToken {
  return TYPES.has(token.type)
}
