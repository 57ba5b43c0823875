import { type DefaultTreeAdapterTypes, parse } from 'parse5'

export type HtmlElement = DefaultTreeAdapterTypes.Element
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode
type Parent = DefaultTreeAdapterTypes.ParentNode

export const parseHtml = (text: string): Parent => parse(text)

export const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node

/** What is below a node in the order of the page, without what is below elements that `skips` names. A page may be nested deeply. */
export function* nodesBelow(parent: Parent, skips: (element: HtmlElement) => boolean = () => false) {
  const open = parent.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isElement(node) && skips(node)) continue
    yield node
    if (isElement(node)) open.push(...node.childNodes.toReversed())
  }
}

export const elementsBelow = (parent: Parent, ...names: readonly string[]): readonly HtmlElement[] =>
  [...nodesBelow(parent)].filter(isElement).filter(({ tagName }) => names.includes(tagName))

/** `undefined` when the element has none of this name. */
export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attrs.find((attribute) => attribute.name === name)?.value

/** The text below a node as it stands in the page; elements part words. */
export const rawTextBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  [...nodesBelow(parent, skips)].map((node) => ('value' in node ? node.value : ' ')).join('')

/** The same with runs of white space as one blank. */
export const textBelow = (parent: Parent, skips?: (element: HtmlElement) => boolean): string =>
  rawTextBelow(parent, skips).replace(/\s+/g, ' ').trim()
