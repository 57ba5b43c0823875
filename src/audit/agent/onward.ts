import type { Page } from './browser.ts'
import type { Way } from './choose-way.ts'
import { attributeOf, elementsBelow, type HtmlElement, parseHtml, rawTextBelow, textBelow } from './html-document.ts'

/** Where a page leads. */
export interface Onward {
  readonly method: 'GET' | 'POST'
  /** With the fields, when the method is GET. */
  readonly url: URL
  /** `application/x-www-form-urlencoded` */
  readonly body?: string
}

/** A page that shows itself for longer wants to be read. */
const MAX_REFRESH_SECONDS = 1

/**
 * Where a browser goes from a page without its user: by `<meta http-equiv=refresh>` of at most a second, or by its only form, when
 * `onload` or an inline script submits it.
 *
 * Scripts are not run, but read: one that calls `submit()` outside of named functions and of listeners for what a user does submits
 * the form.
 */
export function onwardByItself(page: Page): Onward | undefined {
  if (!isHtml(page)) return undefined
  const document = parseHtml(page.text)
  const refresh = elementsBelow(document, 'meta').flatMap((meta) => refreshOf(meta, page) ?? [])[0]
  if (refresh && refresh.seconds <= MAX_REFRESH_SECONDS && refresh.url.href !== page.url) {
    return { method: 'GET', url: refresh.url }
  }
  const [form, ...others] = elementsBelow(document, 'form')
  if (!form || others.length > 0) return undefined
  const onload = elementsBelow(document, 'body').map((body) => attributeOf(body, 'onload') ?? '')
  const scripts = elementsBelow(document, 'script').map((script) => textBelow(script))
  const submits = onload.some((code) => /\bsubmit\s*\(/.test(code)) || scripts.some(submitsAtOnce)
  return submits ? submissionOf(form, page) : undefined
}

function submitsAtOnce(code: string): boolean {
  const isListener =
    /\.on(?:click|change|input|key\w+|submit)\b|addEventListener\s*\(\s*(?!['"`](?:load|DOMContentLoaded))/
  const isNamed = /\bfunction\s+\w|\b(?:const|let|var)\s+\w+\s*=\s*(?:async\b|function\b|\w+\s*=>|\([^)]*\)\s*=>)/
  return /\.(?:submit|requestSubmit)(?:\.call)?\s*\(/.test(code) && !isListener.test(code) && !isNamed.test(code)
}

/** The ways on from a page that take its user: links, each button of a form, buttons that name an address, and slow refreshes. */
export function waysOf(page: Page, selector = ''): readonly (Way & { readonly onward: Onward })[] {
  if (!isHtml(page)) return []
  const document = parseHtml(page.text)
  const way = (kind: Way['kind'], element: HtmlElement, onward: Onward | undefined, form?: HtmlElement) => {
    const names = [...(element.tagName === 'input' ? ['value'] : []), 'aria-label', 'title']
    const text = [textBelow(element), ...names.map((name) => attributeOf(element, name))]
    return onward
      ? [
          {
            kind,
            onward,
            url: onward.url.href,
            text: kind === 'form' && element === form ? '' : text.filter(Boolean).join(' '),
            asks: form !== undefined && elementsBelow(form, 'input', 'textarea').some(asksUser),
            isSelected: [element, ...(form ? [form] : [])].some((one) => isSelected(one, selector)),
          },
        ]
      : []
  }
  const byGet = (url: URL | undefined): Onward | undefined => url && { method: 'GET', url }
  const forms = elementsBelow(document, 'form')
  const inForms = new Set(forms.flatMap((form) => elementsBelow(form, 'button', 'input')))
  return elementsBelow(document, 'a', 'form', 'meta', 'button', 'input').flatMap((element) => {
    const { tagName } = element
    if (tagName === 'a') return way('link', element, byGet(resolve(attributeOf(element, 'href'), page)))
    if (tagName === 'meta') return way('link', element, byGet(refreshOf(element, page)?.url))
    if (tagName === 'form') {
      const buttons = elementsBelow(element, 'button', 'input').filter(
        (one) => isSubmitButton(one) && !has(one, 'disabled'),
      )
      if (buttons.length === 0) return way('form', element, submissionOf(element, page), element)
      return buttons.flatMap((button) => way('form', button, submissionOf(element, page, button), element))
    }
    if (!isButton(element) || (inForms.has(element) && isSubmitButton(element))) return []
    const [, target] =
      /location(?:\.href)?\s*(?:=|\.(?:assign|replace)\()\s*['"]([^'"]+)/.exec(attributeOf(element, 'onclick') ?? '') ??
      []
    return way('button', element, byGet(resolve(target, page)))
  })
}

/** Whether an element has the name, id, classes and attributes of a selector; other elements around it are not looked at. */
function isSelected(element: HtmlElement, selector: string): boolean {
  const parts = selector.match(/^[a-z][\w-]*|[#.][\w-]+|\[[\w-]+(?:="[^"]*")?\]/gi) ?? []
  return (
    selector !== '' &&
    parts.join('') === selector &&
    parts.every((part) => {
      if (part.startsWith('#')) return attributeOf(element, 'id') === part.slice(1)
      if (part.startsWith('.')) return attributeOf(element, 'class')?.split(/\s+/).includes(part.slice(1))
      const [, name = '', value] = /^\[([\w-]+)(?:="(.*)")?\]$/.exec(part) ?? []
      if (name === '') return element.tagName === part.toLowerCase()
      return value === undefined ? has(element, name) : attributeOf(element, name) === value
    })
  )
}

export const isHtml = ({ mediaType, text }: Page): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) || (mediaType === '' && /^\s*</.test(text))

function refreshOf(meta: HtmlElement, page: Page): { seconds: number; url: URL } | undefined {
  if (attributeOf(meta, 'http-equiv')?.toLowerCase() !== 'refresh') return undefined
  const [, seconds, target] =
    /^\s*(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(attributeOf(meta, 'content') ?? '') ?? []
  const url = resolve(target, page)
  return url && { seconds: Number(seconds), url }
}

/** What a form sends, by a button when one is given. */
function submissionOf(form: HtmlElement, page: Page, button?: HtmlElement): Onward | undefined {
  const of = (name: string) => (button && attributeOf(button, `form${name}`)) || attributeOf(form, name)
  const url = resolve(of('action') || page.url, page)
  if (!url) return undefined
  const fields = elementsBelow(form, 'input', 'select', 'textarea', 'button').flatMap((control): [string, string][] => {
    const name = attributeOf(control, 'name') ?? ''
    const isSent = isButton(control) ? control === button : !isLeftOut(control)
    return name !== '' && isSent && !has(control, 'disabled') ? [[name, fieldValueOf(control)]] : []
  })
  const body = new URLSearchParams(fields).toString()
  if (of('method')?.toLowerCase() === 'post') return { method: 'POST', url, body }
  url.search = body
  return { method: 'GET', url }
}

const typeOf = (control: HtmlElement) => attributeOf(control, 'type')?.toLowerCase()
const has = (element: HtmlElement, name: string) => attributeOf(element, name) !== undefined

const isButton = (control: HtmlElement) =>
  control.tagName === 'button' || ['submit', 'image', 'button', 'reset'].includes(typeOf(control) ?? '')

const isSubmitButton = (control: HtmlElement) =>
  isButton(control) && !['button', 'reset'].includes(typeOf(control) ?? '')

const isLeftOut = (control: HtmlElement) =>
  typeOf(control) === 'file' || (['checkbox', 'radio'].includes(typeOf(control) ?? '') && !has(control, 'checked'))

const asksUser = (control: HtmlElement) =>
  ['text', 'email', 'password', 'search', 'tel'].includes(typeOf(control) ?? 'text') && !attributeOf(control, 'value')

function fieldValueOf(control: HtmlElement): string {
  if (control.tagName === 'textarea') return rawTextBelow(control)
  if (control.tagName !== 'select') {
    return attributeOf(control, 'value') ?? (typeOf(control) === 'checkbox' ? 'on' : '')
  }
  const options = elementsBelow(control, 'option')
  const selected = options.find((option) => has(option, 'selected')) ?? options[0]
  return selected ? (attributeOf(selected, 'value') ?? textBelow(selected)) : ''
}

/** `undefined` for what is no address of the web. */
function resolve(target: string | undefined, { url }: Page): URL | undefined {
  if (target === undefined || !URL.canParse(target, url)) return undefined
  const resolved = new URL(target, url)
  return /^https?:$/.test(resolved.protocol) ? resolved : undefined
}
