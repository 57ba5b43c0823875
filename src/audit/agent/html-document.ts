import { type DefaultTreeAdapterTypes, parse } from 'parse5'

export type HtmlElement = DefaultTreeAdapterTypes.Element
type HtmlNode = DefaultTreeAdapterTypes.ChildNode
type Parent = DefaultTreeAdapterTypes.ParentNode

export const parseHtml = (text: string): Parent => parse(text)

/** Elements that a word may begin or end in: `<b>W</b>elcome` is one word. */
const INLINE: readonly string[] =
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup u var wbr'.split(' ')

/** All below a node in the order of the page, with a blank where another element than those begins or ends. */
function* nodesBelow(parent: Parent, skips?: (element: HtmlElement) => boolean): Generator<HtmlNode | ' '> {
  // A page may be nested too deeply for a recursion.
  const open: (HtmlNode | ' ')[] = parent.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const element = node !== ' ' && 'tagName' in node ? node : undefined
    if (element && skips?.(element)) continue
    const isBlock = element && !INLINE.includes(element.tagName)
    if (isBlock) yield ' '
    yield node
    if (isBlock) open.push(' ')
    // Spread over arguments, a page of many elements would be too long for the stack.
    for (const child of element?.childNodes.toReversed() ?? []) open.push(child)
  }
}

/** The elements of these names below a node, in the order of the page. */
export const elementsBelow = (parent: Parent, ...names: readonly string[]): readonly HtmlElement[] =>
  [...nodesBelow(parent)].flatMap((it) => (it !== ' ' && 'tagName' in it && names.includes(it.tagName) ? it : []))

/** `undefined` when the element has none of this name. */
export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

/** The text below a node as it stands in the page, with blanks between blocks. */
export const rawTextBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  [...nodesBelow(parent, skips)].map((node) => (node === ' ' ? node : 'value' in node ? node.value : '')).join('')

/** The same with runs of white space as one blank. */
export const textBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  rawTextBelow(parent, skips).replace(/\s+/g, ' ').trim()
