import type { Page } from './browser.ts'
import type { Way } from './choose-way.ts'
import { attributeOf, elementsBelow, type HtmlElement, parseHtml, rawTextBelow, textBelow } from './html-document.ts'
import { formBody, type Onward, webAddress } from './navigation.ts'
import { isHtml } from './read-page.ts'

/** A page that shows itself for longer wants to be read. */
const MAX_REFRESH_SECONDS = 1

/** Where a page leads without its user: by a refresh, or by its only form when a script submits it. */
export function onwardByItself(page: Page): Onward | undefined {
  if (!isHtml(page)) return undefined
  const document = parseHtml(page.text)
  const refresh = elementsBelow(document, 'meta').flatMap((meta) => refreshOf(meta, page) ?? [])[0]
  if (refresh && refresh.href !== page.url) return { method: 'GET', url: refresh }
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

function refreshOf(meta: HtmlElement, page: Page): URL | undefined {
  if (attributeOf(meta, 'http-equiv')?.toLowerCase() !== 'refresh') return undefined
  const [, seconds, target] =
    /^\s*(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(attributeOf(meta, 'content') ?? '') ?? []
  return Number(seconds) <= MAX_REFRESH_SECONDS ? webAddress(target, page.url) : undefined
}

/** The ways on from a page that take its user: links, each button of a form, and buttons that name an address. */
export function waysOf(page: Page, selector = ''): readonly (Way & { readonly onward: Onward })[] {
  if (!isHtml(page)) return []
  const document = parseHtml(page.text)
  const forms = elementsBelow(document, 'form')
  const inForms = new Set(forms.flatMap((form) => elementsBelow(form, 'button', 'input')))
  const way = (kind: Way['kind'], element: HtmlElement, onward: Onward | undefined, form?: HtmlElement) => {
    if (!onward) return []
    const texts = [element.tagName === 'input' ? 'value' : '', 'aria-label', 'title'].map((it) =>
      attributeOf(element, it),
    )
    return {
      kind,
      onward,
      url: onward.url.href,
      text: element === form ? '' : [textBelow(element), ...texts].filter(Boolean).join(' '),
      asks: form !== undefined && elementsBelow(form, 'input', 'textarea').some(asksUser),
      isSelected: [element, form].some((one) => one && isSelected(one, selector)),
    }
  }
  const linkTo = (target: string | undefined): Onward | undefined => {
    const url = webAddress(target, page.url)
    return url && { method: 'GET', url }
  }
  return elementsBelow(document, 'a', 'form', 'button', 'input').flatMap((element) => {
    if (element.tagName === 'a') return way('link', element, linkTo(attributeOf(element, 'href')))
    if (element.tagName === 'form') {
      const buttons = elementsBelow(element, 'button', 'input').filter(
        (it) => isSubmitButton(it) && !has(it, 'disabled'),
      )
      if (buttons.length === 0) return way('form', element, submissionOf(element, page), element)
      return buttons.flatMap((button) => way('form', button, submissionOf(element, page, button), element))
    }
    if (!isButton(element) || (inForms.has(element) && isSubmitButton(element))) return []
    const goes = /location(?:\.href)?\s*(?:=|\.(?:assign|replace)\()\s*['"]([^'"]+)/
    return way('button', element, linkTo(goes.exec(attributeOf(element, 'onclick') ?? '')?.[1]))
  })
}

/** Whether an element has the name, id, classes and attributes of a selector; other elements around it are not looked at. */
function isSelected(element: HtmlElement, selector: string): boolean {
  const parts = selector.match(/^[a-z][\w-]*|[#.][\w-]+|\[[\w-]+(?:="[^"]*")?\]/gi) ?? []
  const holds = (part: string) => {
    if (part.startsWith('#')) return attributeOf(element, 'id') === part.slice(1)
    if (part.startsWith('.')) return attributeOf(element, 'class')?.split(/\s+/).includes(part.slice(1))
    const [, name, value] = /^\[([\w-]+)(?:="(.*)")?\]$/.exec(part) ?? []
    if (name === undefined) return element.tagName === part.toLowerCase()
    return value === undefined ? has(element, name) : attributeOf(element, name) === value
  }
  return selector !== '' && parts.join('') === selector && parts.every(holds)
}

/** What a form sends, by a button when one is given. */
function submissionOf(form: HtmlElement, page: Page, button?: HtmlElement): Onward | undefined {
  const of = (name: string) => (button && attributeOf(button, `form${name}`)) || attributeOf(form, name)
  const url = webAddress(of('action') || page.url, page.url)
  if (!url) return undefined
  const fields = elementsBelow(form, 'input', 'select', 'textarea', 'button').flatMap((control): [string, string][] => {
    const name = attributeOf(control, 'name') ?? ''
    const isSent = isButton(control) ? control === button : !isLeftOut(control)
    return name !== '' && isSent && !has(control, 'disabled') ? [[name, fieldValueOf(control)]] : []
  })
  const body = formBody(fields)
  if (of('method')?.toLowerCase() === 'post') return { method: 'POST', url, body }
  url.search = body.text
  return { method: 'GET', url }
}

const typeOf = (control: HtmlElement) => attributeOf(control, 'type')?.toLowerCase() ?? ''
const has = (element: HtmlElement, name: string) => attributeOf(element, name) !== undefined

const isButton = (control: HtmlElement) =>
  control.tagName === 'button' || /^(?:submit|image|button|reset)$/.test(typeOf(control))

const isSubmitButton = (control: HtmlElement) => isButton(control) && !/^(?:button|reset)$/.test(typeOf(control))

const isLeftOut = (control: HtmlElement) =>
  typeOf(control) === 'file' || (/^(?:checkbox|radio)$/.test(typeOf(control)) && !has(control, 'checked'))

const asksUser = (control: HtmlElement) =>
  /^(?:|text|email|password|search|tel)$/.test(typeOf(control)) && !attributeOf(control, 'value')

function fieldValueOf(control: HtmlElement): string {
  if (control.tagName === 'textarea') return rawTextBelow(control)
  if (control.tagName !== 'select') return attributeOf(control, 'value') ?? (typeOf(control) === 'checkbox' ? 'on' : '')
  const options = elementsBelow(control, 'option')
  const selected = options.find((option) => has(option, 'selected')) ?? options[0]
  return selected ? (attributeOf(selected, 'value') ?? textBelow(selected)) : ''
}
