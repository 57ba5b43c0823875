import { Parser, Renderer, type Tokens } from 'marked'
import { breakable } from '../../server/http/html/elements.ts'
import { type Html, html, renderedMarkup } from '../../server/http/html/html.ts'
import type { Section } from './markdown.ts'

/**
 * Resolves the target of a link or image; `undefined` when it is not served, and then no link is
 * rendered.
 */
export type FindAddress = (target: string) => string | undefined

/** Renders a section of a document. Raw HTML is dropped, except pictures and line breaks. */
export function renderSection(
  { anchor, depth, headingTokens, tokens }: Section,
  addressOf: FindAddress,
): Html {
  const parser = new Parser({ renderer: new DocumentRenderer(addressOf) })
  const tag = `h${depth}`
  // The page itself shows the title of the document.
  const heading =
    depth > 1 &&
    html`<${tag} id="${anchor}">${renderedMarkup(parser.parseInline([...headingTokens]))}</${tag}>\n`
  return html`${heading}${renderedMarkup(parser.parse([...tokens]))}`
}

/** The renderer of marked, with the elements that sandbox pages render differently. */
class DocumentRenderer extends Renderer {
  readonly #addressOf: FindAddress

  constructor(addressOf: FindAddress) {
    super()
    this.#addressOf = addressOf
  }

  override code({ text }: Tokens.Code): string {
    return String(
      html`<div class="snippet" data-copy><pre tabindex="0"><code>${text}</code></pre></div>\n`,
    )
  }

  override codespan({ text }: Tokens.Codespan): string {
    return String(html`<code>${breakable(text)}</code>`)
  }

  override checkbox(): string {
    return ''
  }

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    const pictures = picturesIn(text, this.#addressOf)
    if (block && pictures.length > 0) {
      return String(html`<div class="pictures">${pictures}</div>\n`)
    }
    return text === '<br>' ? text : String(html`${pictures}`)
  }

  override link({ href, tokens }: Tokens.Link): string {
    const address = this.#addressOf(href)
    const text = this.parser.parseInline(tokens)
    return address === undefined
      ? text
      : String(html`<a href="${address}">${renderedMarkup(text)}</a>`)
  }

  override image({ href, text }: Tokens.Image): string {
    const address = this.#addressOf(href)
    return String(
      address === undefined
        ? html`${text}`
        : html`<img src="${address}" alt="${text}" loading="lazy">`,
    )
  }

  /**
   * Renders a table. On a phone each row becomes a block whose cells show the names of their
   * columns (`data-label`).
   */
  override table({ header, rows }: Tokens.Table): string {
    const columns = header.map(({ text, tokens }) =>
      text === '' ? html`<td></td>` : html`<th scope="col">${this.#inline(tokens)}</th>`,
    )
    const cellOf = ({ tokens }: Tokens.TableCell, index: number) =>
      index === 0
        ? html`<th scope="row">${this.#inline(tokens)}</th>`
        : html`<td data-label="${header[index]?.text.replaceAll('`', '')}">${this.#inline(tokens)}</td>`
    const body = rows.map((row) => html`<tr>${row.map(cellOf)}</tr>\n`)
    return String(html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>
<thead><tr>${columns}</tr></thead>
<tbody>
${body}</tbody>
</table></div>\n`)
  }

  #inline(tokens: Tokens.TableCell['tokens']): Html {
    return renderedMarkup(this.parser.parseInline(tokens))
  }
}

/** Renders the pictures in raw HTML. Only HTML can name a second picture for dark pages. */
function picturesIn(markup: string, addressOf: FindAddress): readonly Html[] {
  const elements = markup.match(/<picture>.*?<\/picture>|<img\b[^>]*>/gs) ?? []
  return elements.flatMap((element) => {
    const attribute = (name: string) => RegExp(` ${name}="([^"]+)"`).exec(element)?.[1]
    const addressIn = (name: string) => {
      const target = attribute(name)
      return target === undefined ? undefined : addressOf(target)
    }
    const light = addressIn('src')
    const dark = addressIn('srcset')
    if (light === undefined) return []
    const source =
      dark !== undefined && html`<source media="(prefers-color-scheme: dark)" srcset="${dark}">`
    return [
      html`<picture>${source}<img src="${light}" alt="${attribute('alt')}" loading="lazy"></picture>`,
    ]
  })
}
