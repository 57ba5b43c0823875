import type { FragmentPost, PageRequest, ShownPage } from './browser.ts'
import type { Way } from './choose-way.ts'
import {
  attributeOf,
  documentOf,
  elementsBelow,
  type HtmlElement,
  isHtml,
  textBelow,
} from './read-page.ts'

/** The `User-Agent` header of all requests of an audit. */
export const USER_AGENT =
  'Mozilla/5.0 (compatible; agekey-sandbox audit) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

/** The request that a page makes by itself, or that it makes when the user presses an element. */
export interface Onward {
  readonly method: 'GET' | 'POST'
  /** The URL. For a form with method GET, the query holds the fields. */
  readonly url: URL
  readonly body?: { readonly type: string; readonly text: string } | undefined
}

/** An element whose request the HTML determines. */
export type RequestWay = Way & { readonly onward: Onward }

/** Makes the HTTP request for a page request. @throws TypeError for a malformed URL */
export function onwardTo({ url: address, form, json, ...request }: PageRequest): Onward {
  const body = json === undefined ? form && formBody({ ...form }) : jsonBody(json)
  const { method = body ? 'POST' : 'GET' } = request
  return sending(method, new URL(address), body)
}

/** Maximum delay of a refresh that counts as a redirect. With a longer delay, the user reads. */
const MAX_REFRESH_SECONDS = 1

/** The request that a page makes without its user: a refresh, or a form that a script submits. */
export function onwardByItself(page: ShownPage): Onward | undefined {
  if (!isHtml(page)) return undefined
  const document = documentOf(page)
  const [url] = elementsBelow(document, 'meta').flatMap((meta) => refreshOf(meta, page) ?? [])
  if (url && url.href !== page.url) return { method: 'GET', url }
  const [form, ...others] = elementsBelow(document, 'form')
  const onload = elementsBelow(document, 'body').map((body) => attributeOf(body, 'onload') ?? '')
  const scripts = elementsBelow(document, 'script').map((script) => textBelow(script))
  const submits = onload.some((code) => /\bsubmit\s*\(/.test(code)) || scripts.some(submitsAtOnce)
  return form && others.length === 0 && submits ? submissionOf(form, page) : undefined
}

function submitsAtOnce(code: string): boolean {
  const isListener =
    /\.on(?:click|change|input|key\w+|submit)\b|addEventListener\s*\(\s*(?!['"`](?:load|DOMContentLoaded))/
  const isNamed =
    /\bfunction\s+\w|\b(?:const|let|var)\s+\w+\s*=\s*(?:async\b|function\b|\w+\s*=>|\([^)]*\)\s*=>)/
  return (
    /\.(?:submit|requestSubmit)(?:\.call)?\s*\(/.test(code) &&
    !isListener.test(code) &&
    !isNamed.test(code)
  )
}

function refreshOf(meta: HtmlElement, page: ShownPage): URL | undefined {
  if (attributeOf(meta, 'http-equiv')?.toLowerCase() !== 'refresh') return undefined
  const [, seconds, target] =
    /^\s*(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(
      attributeOf(meta, 'content') ?? '',
    ) ?? []
  return Number(seconds) <= MAX_REFRESH_SECONDS ? webAddress(target, page.url) : undefined
}

/** The request with which the script of a callback page submits the parameters of the fragment. */
export function passedOn(page: ShownPage, { post, as }: FragmentPost): Onward {
  const parameters = new URLSearchParams(new URL(page.url).hash.slice(1))
  const body = as === 'form' ? formBody(parameters) : jsonBody(Object.fromEntries(parameters))
  return { method: 'POST', url: new URL(post, page.url), body }
}

/**
 * The elements that a user can press: links, each button of a form, and buttons that name a URL.
 * @param selector the CSS selector of `begin.click`
 */
export function waysOf(page: ShownPage, selector = ''): readonly RequestWay[] {
  if (!isHtml(page)) return []
  const document = documentOf(page)
  const formOf = new Map<HtmlElement, HtmlElement>()
  for (const form of elementsBelow(document, 'form')) {
    const submits = elementsBelow(form, 'button', 'input').filter(isSubmitButton)
    // The Enter key submits a form without a button.
    for (const element of submits.some(isEnabled) ? submits : [form, ...submits])
      formOf.set(element, form)
  }
  return elementsBelow(document, 'a', 'form', 'button', 'input').flatMap((element) => {
    const form = formOf.get(element)
    const way = form ? formWay(form, element, page) : linkWay(element, page)
    if (!way) return []
    const isNamed =
      isSelected(element, selector) || (form !== undefined && isSelected(form, selector))
    return { ...way, isSelected: isNamed }
  })
}

/** The way that submits a form by one of its buttons, or without a button. */
function formWay(form: HtmlElement, element: HtmlElement, page: ShownPage): RequestWay | undefined {
  const onward = isEnabled(element) ? submissionOf(form, page, element) : undefined
  return (
    onward && {
      kind: 'form',
      onward,
      url: onward.url.href,
      text: element === form ? '' : labelOf(element),
      asks: elementsBelow(form, 'input', 'textarea').some(asksUser),
    }
  )
}

function linkWay(element: HtmlElement, page: ShownPage): RequestWay | undefined {
  const onward = linkOf(element, page)
  const kind = element.tagName === 'a' ? 'link' : 'button'
  return onward && { kind, onward, url: onward.url.href, text: labelOf(element), asks: false }
}

function labelOf(element: HtmlElement): string {
  const labels = [element.tagName === 'input' ? 'value' : '', 'aria-label', 'title']
  const texts = [textBelow(element), ...labels.map((name) => attributeOf(element, name))]
  return texts.filter(Boolean).join(' ')
}

function linkOf(element: HtmlElement, page: ShownPage): Onward | undefined {
  const goes = /location(?:\.href)?\s*(?:=|\.(?:assign|replace)\()\s*['"]([^'"]+)/
  const code = isButton(element) ? (attributeOf(element, 'onclick') ?? '') : ''
  const url = webAddress(
    element.tagName === 'a' ? attributeOf(element, 'href') : goes.exec(code)?.[1],
    page.url,
  )
  return url && { method: 'GET', url }
}

/**
 * Whether an element matches a compound CSS selector of name, id, classes and attributes. A
 * selector with combinators matches nothing.
 */
function isSelected(element: HtmlElement, selector: string): boolean {
  const parts = selector.match(/^[a-z][\w-]*|[#.][\w-]+|\[[\w-]+(?:="[^"]*")?\]/gi) ?? []
  const holds = (part: string) => {
    const [, sign = '', name = '', value] = /^([#.[]?)([\w-]+)(?:="(.*)")?/.exec(part) ?? []
    if (sign === '') return element.tagName === name.toLowerCase()
    if (sign === '#') return attributeOf(element, 'id') === name
    if (sign === '.') return attributeOf(element, 'class')?.split(/\s+/).includes(name)
    const given = attributeOf(element, name)
    return value === undefined ? given !== undefined : given === value
  }
  return selector !== '' && parts.join('') === selector && parts.every(holds)
}

/** The request that a form sends when a button submits it, or without a button. */
function submissionOf(form: HtmlElement, page: ShownPage, button = form): Onward | undefined {
  const of = (name: string) => attributeOf(button, `form${name}`) || attributeOf(form, name)
  const url = webAddress(of('action') || page.url, page.url)
  if (!url) return undefined
  const fields = elementsBelow(form, 'input', 'select', 'textarea', 'button').flatMap(
    (control): [string, string][] => {
      const name = attributeOf(control, 'name')
      const has = (mark: string) => attributeOf(control, mark) !== undefined
      // A browser does not submit a form with an unchecked required checkbox, so the user checks
      // it.
      const isChecked = has('checked') || (typeOf(control) === 'checkbox' && has('required'))
      const isUnchecked = /^(?:checkbox|radio)$/.test(typeOf(control)) && !isChecked
      const isSent = isButton(control)
        ? control === button
        : typeOf(control) !== 'file' && !isUnchecked
      return name && isSent && isEnabled(control) ? [[name, fieldValueOf(control)]] : []
    },
  )
  return sending(of('method')?.toLowerCase() === 'post' ? 'POST' : 'GET', url, formBody(fields))
}

function sending(method: Onward['method'], url: URL, body: Onward['body']): Onward {
  if (method === 'POST') return { method, url, body }
  if (body) url.search = body.text
  return { method, url }
}

const typeOf = (control: HtmlElement) => attributeOf(control, 'type')?.toLowerCase() ?? ''
const isEnabled = (control: HtmlElement) => attributeOf(control, 'disabled') === undefined

const isButton = (control: HtmlElement) =>
  control.tagName === 'button' || /^(?:submit|image|button|reset)$/.test(typeOf(control))
const isSubmitButton = (control: HtmlElement) =>
  isButton(control) && !/^(?:button|reset)$/.test(typeOf(control))

const asksUser = (control: HtmlElement) =>
  /^(?:|text|email|password|search|tel)$/.test(typeOf(control)) && !attributeOf(control, 'value')

function fieldValueOf(control: HtmlElement): string {
  if (control.tagName === 'textarea')
    return control.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
  if (control.tagName !== 'select')
    return attributeOf(control, 'value') ?? (typeOf(control) === 'checkbox' ? 'on' : '')
  const options = elementsBelow(control, 'option')
  const selected =
    options.find((option) => attributeOf(option, 'selected') !== undefined) ?? options[0]
  return selected ? (attributeOf(selected, 'value') ?? textBelow(selected)) : ''
}

const formBody = (fields: ConstructorParameters<typeof URLSearchParams>[0]) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(fields).toString(),
})
const jsonBody = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) })

/** Parses an http or https URL; `undefined` for all other texts. */
export function webAddress(text: string | undefined, base?: string | URL): URL | undefined {
  if (text === undefined || !URL.canParse(text, base?.toString())) return undefined
  const url = new URL(text, base)
  return /^https?:$/.test(url.protocol) ? url : undefined
}
