/**
 * Markup that is safe to send. Only `html` and `renderedMarkup` make it, so no string from outside
 * is taken for markup.
 */
class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

export type { Html }

/**
 * A value in a template: `false`, `null` and `undefined` render nothing, an array renders its items
 * in order.
 */
export type Renderable = Html | string | number | false | null | undefined | readonly Renderable[]

/**
 * Template tag for HTML. It escapes every value except its own markup, for text and for attribute
 * values in double quotes. NUL and lone surrogates become U+FFFD, because an HTML document cannot
 * contain them. Text loses characters that control its display; attributes keep them, because forms
 * must send back what they were given.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Renderable[]): Html {
  let isInTag = false
  const rendered = values.map((value, index) => {
    const literal = strings[index] ?? ''
    const [opened, closed] = [literal.lastIndexOf('<'), literal.lastIndexOf('>')]
    if (opened !== closed) isInTag = opened > closed
    return render(value, isInTag ? asIs : withoutSteering)
  })
  return new Html(String.raw({ raw: strings }, ...rendered))
}

/**
 * Invisible characters that change what is displayed: directions of writing, blanks without width,
 * line ends of Unicode, and joiners where nothing is joined. Right-to-left text needs none of them;
 * joiners of Persian or of emoji stay.
 */
const STEERING =
  /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|(?<![^\0-\x7f])[\u200c\u200d]/g

const withoutSteering = (text: string) => text.replace(STEERING, '')
const asIs = (text: string) => text

/** Takes the output of a renderer as markup. The renderer must escape every text itself. */
export const renderedMarkup = (markup: string): Html => new Html(markup)

/** The text of a whole page, from its `<html>` element. */
export function renderDocument(root: Html): string {
  return `<!doctype html>\n${root}\n`
}

function render(value: Renderable, prepare: (text: string) => string): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map((item) => render(item, prepare)).join('')
  return escapeText(prepare(String(value)))
}

// A parser reads a raw carriage return as a line feed. A reference keeps it, for example in a
// `state`.
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
}

function escapeText(text: string): string {
  return text
    .replace(/[\0\p{Surrogate}]/gu, '\uFFFD')
    .replace(/[&<>"'\r]/g, (character) => REFERENCES[character] ?? '')
}
