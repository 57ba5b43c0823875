import { type DefaultTreeAdapterTypes, parse } from 'parse5'

export type HtmlElement = DefaultTreeAdapterTypes.Element
type HtmlNode = DefaultTreeAdapterTypes.ChildNode
type Parent = DefaultTreeAdapterTypes.ParentNode

export const parseHtml = (text: string): Parent => parse(text)

const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node

/** The elements of these names below a node, in the order of the page. A page may be nested too deeply for a recursion. */
export function elementsBelow(parent: Parent, ...names: readonly string[]): readonly HtmlElement[] {
  const found: HtmlElement[] = []
  const open = parent.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isElement(node)) continue
    if (names.includes(node.tagName)) found.push(node)
    // Spread over arguments, a page of many elements would be too long for the stack.
    for (const child of node.childNodes.toReversed()) open.push(child)
  }
  return found
}

/** `undefined` when the element has none of this name. */
export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

/** Elements that a word may begin or end in: `<b>W</b>elcome` is one word. */
const INLINE: readonly string[] =
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup u var wbr'.split(' ')

/** The text below a node as it stands in the page, with a blank where another element than those begins or ends. */
export function rawTextBelow(parent: Parent, skips: (element: HtmlElement) => boolean = () => false): string {
  const parts: string[] = []
  const open: (HtmlNode | ' ')[] = parent.childNodes.toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === ' ') parts.push(next)
    else if (next.nodeName === '#text' && 'value' in next) parts.push(next.value)
    else if (isElement(next) && !skips(next)) {
      const isBlock = !INLINE.includes(next.tagName)
      if (isBlock) parts.push(' ')
      if (isBlock) open.push(' ')
      for (const child of next.childNodes.toReversed()) open.push(child)
    }
  }
  return parts.join('')
}

/** The same with runs of white space as one blank. */
export const textBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  rawTextBelow(parent, skips).replace(/\s+/g, ' ').trim()
