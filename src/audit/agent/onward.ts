import type { Page } from './browser.ts'
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
  const refresh = elementsBelow(document, 'meta')
    .map((meta) => refreshOf(meta, page))
    .find((found) => found !== undefined)
  if (refresh && refresh.seconds <= MAX_REFRESH_SECONDS && refresh.url.href !== page.url) {
    return { method: 'GET', url: refresh.url }
  }
  const [form, ...others] = elementsBelow(document, 'form')
  if (!form || others.length > 0) return undefined
  const onload = elementsBelow(document, 'body').map((body) => attributeOf(body, 'onload') ?? '')
  const scripts = elementsBelow(document, 'script').map((script) => textBelow(script))
  const submits = onload.some((code) => /\bsubmit\s*\(/.test(code)) || scripts.some(submitsAtOnce)
  return submits ? submissionOf(form, { page, isClicked: false }) : undefined
}

function submitsAtOnce(code: string): boolean {
  const isListener =
    /\.on(?:click|change|input|key\w+|submit)\b|addEventListener\s*\(\s*(?!['"`](?:load|DOMContentLoaded))/
  const isNamed = /\bfunction\s+\w|\b(?:const|let|var)\s+\w+\s*=\s*(?:async\b|function\b|\w+\s*=>|\([^)]*\)\s*=>)/
  return /\.(?:submit|requestSubmit)(?:\.call)?\s*\(/.test(code) && !isListener.test(code) && !isNamed.test(code)
}

/** Where its user goes from a page to reach an address of a kind: by the first link, form or refresh of the page that leads there. */
export function onwardByUser(page: Page, isWanted: (url: URL) => boolean): Onward | undefined {
  if (!isHtml(page)) return undefined
  return elementsBelow(parseHtml(page.text), 'a', 'form', 'meta')
    .map((element): Onward | undefined => {
      if (element.tagName === 'form') return submissionOf(element, { page, isClicked: true })
      const url = element.tagName === 'a' ? resolve(attributeOf(element, 'href'), page) : refreshOf(element, page)?.url
      return url && { method: 'GET', url }
    })
    .find((onward) => onward !== undefined && isWanted(onward.url))
}

/** The first form of a page that posts to an address of a kind, as its button sends it. */
export const postedForm = (page: Page, isWanted: (url: URL) => boolean): Onward | undefined =>
  isHtml(page)
    ? elementsBelow(parseHtml(page.text), 'form')
        .map((form) => submissionOf(form, { page, isClicked: true }))
        .find((onward) => onward?.method === 'POST' && isWanted(onward.url))
    : undefined

export const isHtml = ({ mediaType, text }: Page): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType) || (mediaType === '' && /^\s*</.test(text))

function refreshOf(meta: HtmlElement, page: Page): { seconds: number; url: URL } | undefined {
  if (attributeOf(meta, 'http-equiv')?.toLowerCase() !== 'refresh') return undefined
  const [, seconds, target] =
    /^\s*(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(attributeOf(meta, 'content') ?? '') ?? []
  const url = resolve(target, page)
  return url && { seconds: Number(seconds), url }
}

function submissionOf(form: HtmlElement, { page, isClicked }: { page: Page; isClicked: boolean }): Onward | undefined {
  const url = resolve(attributeOf(form, 'action') || page.url, page)
  if (!url) return undefined
  const fields = new URLSearchParams(fieldsOf(form, isClicked))
  if (attributeOf(form, 'method')?.toLowerCase() === 'post') return { method: 'POST', url, body: fields.toString() }
  url.search = fields.toString()
  return { method: 'GET', url }
}

/** What a form sends; of its buttons the first, when it is clicked. */
function fieldsOf(form: HtmlElement, isClicked: boolean): [name: string, value: string][] {
  const controls = elementsBelow(form, 'input', 'select', 'textarea', 'button')
  const button = isClicked ? controls.find(isSubmitButton) : undefined
  return controls.flatMap((control): [string, string][] => {
    const name = attributeOf(control, 'name') ?? ''
    const isSent = isButton(control) ? control === button : !isLeftOut(control)
    return name !== '' && isSent && !has(control, 'disabled') ? [[name, fieldValueOf(control)]] : []
  })
}

const typeOf = (control: HtmlElement) => attributeOf(control, 'type')?.toLowerCase()
const has = (element: HtmlElement, name: string) => attributeOf(element, name) !== undefined

const isButton = (control: HtmlElement) =>
  control.tagName === 'button' || ['submit', 'image', 'button', 'reset'].includes(typeOf(control) ?? '')

const isSubmitButton = (control: HtmlElement) =>
  isButton(control) && !['button', 'reset'].includes(typeOf(control) ?? '')

const isLeftOut = (control: HtmlElement) =>
  typeOf(control) === 'file' || (['checkbox', 'radio'].includes(typeOf(control) ?? '') && !has(control, 'checked'))

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
