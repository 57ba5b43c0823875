/** A page as it was rendered or as it was received. */
type Markup = string | { readonly html: string }

const markupOf = (page: Markup): string => (typeof page === 'string' ? page : page.html)

/**
 * A start or end tag as the tokenizer of a browser sees it: attribute values are quoted and contain
 * no `>`.
 */
export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const TEXT: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#13': '\r',
}

/** The text that a parser reads from escaped markup. */
export const decodeReferences = (markup: string): string =>
  markup.replace(/&(amp|lt|gt|quot|#39|#13);/g, (reference, name) => TEXT[name] ?? reference)

/** All tags of a page in order. @throws Error at a stray `<`, so that none is overlooked */
export function tagsOf(page: Markup): readonly Tag[] {
  const body = markupOf(page).replace('<!doctype html>', '')
  const tags = [...body.matchAll(/<(\/?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/g)]
  const opened = body.split('<').length - 1
  if (tags.length !== opened) throw new Error(`${opened} times <, but ${tags.length} tags`)
  return tags.map(([, name = '', rest = '']) => {
    const pairs = [...rest.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)]
    return {
      name,
      attributes: Object.fromEntries(
        pairs.map(([, key, text = '']) => [key, decodeReferences(text)]),
      ),
    }
  })
}

/** The tags with this `data-testid`. */
export const byTestId = (page: Markup, testId: string): readonly Tag[] =>
  tagsOf(page).filter(({ attributes }) => attributes['data-testid'] === testId)

/**
 * All text outside of tags, with runs of white space as one blank; a possible line break is no
 * blank.
 */
export function textOf(page: Markup): string {
  const text = markupOf(page)
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
  return decodeReferences(text).replace(/\s+/g, ' ')
}

/** Names that the forms of a page can submit. */
export function fieldNames(page: Markup): readonly string[] {
  const names = tagsOf(page)
    .filter(({ name }) => ['input', 'button', 'select', 'textarea'].includes(name))
    .flatMap(({ attributes }) => attributes['name'] ?? [])
  return [...new Set(names)].sort()
}
