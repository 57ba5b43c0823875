/** Markup that is safe to send: only `html` makes it, so no string from outside can pass for it. */
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

/** What may stand in a template: `false`, `null` and `undefined` render nothing, an array renders its items in turn. */
export type Renderable = Html | string | number | false | null | undefined | readonly Renderable[]

/**
 * Template tag for HTML. Every value but markup of the tag itself is escaped, for text and for quoted attribute values
 * alike (attributes are always written in double quotes). NUL and lone surrogates become U+FFFD, since no HTML document
 * can carry them.
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

// A raw carriage return would reach the parser as a line feed; as a reference it survives, and so does a `state` with one.
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
