import { Parser, Renderer, type Token, type Tokens } from 'marked'

/** The visible text of blocks, without markup and raw HTML. */
export const plainText = (blocks: readonly Token[]): string =>
  withSingleBlanks(Parser.parse([...blocks], { renderer: new PlainTextRenderer() }))

/** The visible text of a heading, without markup and raw HTML. */
export const headingText = ({ tokens }: Tokens.Heading): string =>
  withSingleBlanks(Parser.parseInline(tokens, { renderer: new PlainTextRenderer() }))

const withSingleBlanks = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Renders text instead of HTML. A blank after each block separates the words. */
class PlainTextRenderer extends Renderer {
  override space = () => ' '
  override hr = () => ''
  override html = () => ''
  override checkbox = () => ''
  override br = () => ' '
  override code = ({ text }: Tokens.Code) => ` ${text} `
  override codespan = ({ text }: Tokens.Codespan) => text
  override image = ({ text }: Tokens.Image) => text
  override heading = ({ tokens }: Tokens.Heading) => this.parser.parseInline(tokens)
  override strong = ({ tokens }: Tokens.Strong) => this.parser.parseInline(tokens)
  override em = ({ tokens }: Tokens.Em) => this.parser.parseInline(tokens)
  override del = ({ tokens }: Tokens.Del) => this.parser.parseInline(tokens)
  override link = ({ tokens }: Tokens.Link) => this.parser.parseInline(tokens)
  override paragraph = ({ tokens }: Tokens.Paragraph) => `${this.parser.parseInline(tokens)} `
  override blockquote = ({ tokens }: Tokens.Blockquote) => `${this.parser.parse(tokens)} `
  override list = ({ items }: Tokens.List) => items.map((item) => this.listitem(item)).join('')
  override listitem = ({ tokens }: Tokens.ListItem) => `${this.parser.parse(tokens)} `
  override tablecell = ({ tokens }: Tokens.TableCell) => `${this.parser.parseInline(tokens)} `
  override table({ header, rows }: Tokens.Table): string {
    return [header, ...rows]
      .flat()
      .map((cell) => this.tablecell(cell))
      .join('')
  }
  override text(token: Tokens.Text | Tokens.Escape): string {
    return token.type === 'text' && token.tokens
      ? `${this.parser.parseInline(token.tokens)} `
      : token.text
  }
}
