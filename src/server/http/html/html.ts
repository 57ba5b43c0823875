/**
 * Markup that is safe to send. Only `html` and `renderedMarkup` create it, so no other string is
 * sent as markup.
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
 * Template tag for HTML. It escapes every value except `Html`, for text and for attribute values in
 * double quotes. NUL and lone surrogates become U+FFFD, because an HTML document cannot contain
 * them. Text loses invisible characters that change its display. Attributes keep them, because a
 * form must send back the value that it received.
 * @example
 * String(html`<b>${'a < b'}</b>`) // '<b>a &lt; b</b>'
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
 * Invisible characters that change how text is displayed: bidirectional controls, zero-width
 * spaces, Unicode line separators, and joiners next to ASCII. Right-to-left text needs none of
 * them; the joiners of Persian and emoji stay.
 */
const STEERING =
  /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|(?<![^\0-\x7f])[\u200c\u200d]/g

const withoutSteering = (text: string) => text.replace(STEERING, '')
const asIs = (text: string) => text

/** Trusts a string as markup. The caller must have escaped every text in it. */
export const renderedMarkup = (markup: string): Html => new Html(markup)

/** The HTML document, from its `<html>` element. */
export function renderDocument(root: Html): string {
  return `<!doctype html>\n${root}\n`
}

function render(value: Renderable, prepare: (text: string) => string): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'object') return value.map((item) => render(item, prepare)).join('')
  return escapeText(prepare(String(value)))
}

// HTML parsers read a raw carriage return as a line feed; a character reference preserves it, for
// example in a `state`.
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
