/** Markup that is safe to send. Only `html` makes it, so no string from outside is taken for markup. */
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

/** A value in a template: `false`, `null` and `undefined` render nothing, an array renders its items in order. */
export type Renderable = Html | string | number | false | null | undefined | readonly Renderable[]

/**
 * Template tag for HTML. It escapes every value except its own markup, for text and for attribute values in double quotes.
 * NUL and lone surrogates become U+FFFD, because an HTML document cannot contain them.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Renderable[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

/** The text of a whole page, from its `<html>` element. */
export function renderDocument(root: Html): string {
  return `<!doctype html>\n${root}\n`
}

function render(value: Renderable): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map(render).join('')
  return escapeText(String(value))
}

// A parser reads a raw carriage return as a line feed. As a reference it is kept, for example in a `state`.
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
}

function escapeText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD').replace(/[&<>"'\r]/g, (character) => REFERENCES[character] ?? '')
}
