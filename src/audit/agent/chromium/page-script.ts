import * as z from 'zod'
import { MAX_READ_BYTES } from '../../../server/client/exchange.ts'
import { waySchema } from '../choose-way.ts'

/** The global variable of the page script. */
const NAME = '__agekeyAudit'
/**
 * Number of checks without a change after which a page is at rest. Checks are at least 10 ms apart.
 */
const QUIET_LOOKS = 6
/** The same for a callback page that has not changed yet: it may still process the answer. */
const SILENT_LOOKS = 40
/**
 * Milliseconds in total that the audit waits for timers of a page, because the timer of a clock
 * never stops. Also the limit for an answer of a worker.
 */
const MAX_WAIT_MS = 2000

/** What the page script reports. */
export const seenSchema = z.object({
  url: z.string(),
  html: z.string(),
  /** Entries of web storage, each a JSON array: origin, kind of storage, name, value. */
  stored: z.array(z.string()),
  ways: z.array(waySchema),
  /** Why the page is not at rest. */
  unrest: z.string(),
})
export type SeenPage = z.infer<typeof seenSchema>

/**
 * Runs in each page before the page's own scripts, and observes whether the page still changes,
 * computes or waits. The script is a string, because a compiler could add calls to helpers that the
 * page does not have.
 */
export const PAGE_SCRIPT = `(() => {
if (window !== window.top) return
const { setTimeout: later, clearTimeout: cancel, open } = window
const { postMessage } = Worker.prototype
const state = { unrest: 'it keeps computing', looks: 0, hasSpoken: false, budget: ${MAX_WAIT_MS} }
// Pending work: timers, computations, answers of workers, and the next page.
const pending = new Set()
const hold = (what, ms) => {
  pending.add(what)
  later(() => pending.delete(what), ms)
}
new MutationObserver((records) => {
  const { target } = records.at(-1)
  const { localName = 'html', id } = (target.localName ? target : target.parentElement) ?? {}
  state.unrest = '<' + localName + (id ? ' id="' + id + '"' : '') + '> keeps changing'
  state.looks = 0
  state.hasSpoken ||= document.readyState !== 'loading'
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden'] })
// A navigation that a page has asked for begins within five seconds.
window.navigation?.addEventListener('navigate', ({ destination, downloadRequest }) => {
  if (!destination.sameDocument && downloadRequest === null && /^http/.test(destination.url)) hold({}, 5000)
})
window.setTimeout = (run, ms = 0, ...args) => {
  const id = later(run, ms, ...args)
  state.budget -= Math.max(10, ms)
  if (state.budget >= 0) hold(id, ms)
  return id
}
// A tab that no window draws has no animation frames, so Chromium never calls their callbacks.
window.requestAnimationFrame = (run) => later(() => run(new Event('frame').timeStamp), 16)
window.requestIdleCallback = (run) => later(() => run({ didTimeout: false, timeRemaining: () => 16 }), 16)
window.clearTimeout = window.cancelAnimationFrame = window.cancelIdleCallback = (id) => {
  pending.delete(id)
  cancel(id)
}
window.IntersectionObserver = class IntersectionObserver {
  constructor(run) {
    const seen = { isIntersecting: true, intersectionRatio: 1 }
    const boundsOf = (target) => ({ boundingClientRect: target.getBoundingClientRect() })
    this.observe = (target) => later(() => run([{ target, ...seen, ...boundsOf(target) }], this), 16)
    this.unobserve = this.disconnect = this.takeRecords = () => []
  }
}
Worker.prototype.postMessage = function (...args) {
  hold(this, ${MAX_WAIT_MS})
  this.addEventListener('message', () => pending.delete(this), { once: true })
  postMessage.apply(this, args)
}
// A popup opens in the same window.
window.open = (url) => open(/^about:/.test(url) ? '' : url, '_self')
window.close = () => {}
const subtle = globalThis.SubtleCrypto?.prototype ?? {}
for (const [name, method] of Object.entries(subtle)) subtle[name] = function (...args) {
  const computed = method.apply(this, args).finally(() => pending.delete(computed))
  pending.add(computed)
  return computed
}
const storage = (kind) => {
  try { return Object.entries(window[kind]).map((one) => JSON.stringify([location.origin, kind, ...one])) } catch { return [] }
}
const roots = (node) => [...node.querySelectorAll('*')].flatMap(({ shadowRoot: root }) => root ? [root, ...roots(root)] : [])
const all = (selector) => [document, ...roots(document)].flatMap((root) => [...root.querySelectorAll(selector)])
const isRefreshed = () => all('meta[http-equiv=refresh i]').some(({ content }) => /^\\s*[01]\\D.*[^\\d\\s]/.test(content))
const isResting = (isAnswer) => {
  if (document.readyState !== 'complete' || pending.size > 0 || isRefreshed()) return false
  return document.scripts.length === 0 || state.looks++ >= (isAnswer && !state.hasSpoken ? ${SILENT_LOOKS} : ${QUIET_LOOKS})
}
let found = []
const waysOf = (begin) => {
  let named = []
  // The value may be words instead of a selector.
  try { named = all(begin.click) } catch {}
  const asks = (form) => [...(form?.querySelectorAll('input, textarea') ?? [])].some((field) =>
    /^(?:text|email|password|search|tel)/.test(field.type) && !field.value && field.checkVisibility())
  found = all('a[href], form, button, input[type=submit], input[type=button], input[type=image], [role=button]').filter((element) =>
    !element.disabled && element.checkVisibility() && !(element.localName === 'form' && element.querySelector('button, input[type=submit], input[type=image]')))
  return found.map((element) => {
    const form = element.localName === 'form' ? element : element.form && element.type !== 'button' ? element.form : undefined
    const kind = form ? 'form' : element.localName === 'a' ? 'link' : 'button'
    const texts = element === form ? [] : [element.innerText, element.localName === 'input' && element.value, element.getAttribute('aria-label'), element.title]
    const text = texts.filter(Boolean).join(' ').replace(/\\s+/g, ' ').trim()
    return { kind, text, url: form?.action ?? element.href, asks: asks(form), isSelected: named.includes(element) || named.includes(element.form) }
  })
}
const see = (begin) => ({
  url: location.href,
  html: [document.documentElement.outerHTML, ...roots(document).map((root) => root.innerHTML)].join('').slice(0, ${MAX_READ_BYTES}),
  stored: [...storage('localStorage'), ...storage('sessionStorage')],
  ways: waysOf(begin),
  unrest: pending.size > 0 ? 'it keeps computing' : state.unrest,
})
Object.defineProperty(window, '${NAME}', { value: {
  rest: async (isAnswer, begin) => {
    // The page may still read the response of its last request.
    state.looks = Math.min(state.looks, ${QUIET_LOOKS - 2})
    while (!isResting(isAnswer)) await new Promise((resolve) => later(resolve, 10))
    return see(begin)
  },
  see,
  press: (index) => {
    const element = found[index]
    state.looks = 0
    for (const one of [element, element.form]) if (one?.target) one.target = '_self'
    // A browser sends no form whose required boxes are empty: the user checks them.
    for (const box of (element.form ?? element).querySelectorAll('[type=checkbox]:required:not(:checked)')) box.click()
    if (element.localName === 'form') element.requestSubmit()
    else element.click()
  },
} })
})()`

export const callOf = (method: 'rest' | 'see' | 'press', ...given: readonly unknown[]): string =>
  `${NAME}.${method}(${given.map((one) => JSON.stringify(one)).join()})`

/** A script that replaces the web storage of a new page with the stored entries of its origin. */
export const restoringScript = (stored: readonly string[]): string => `if (window === window.top) {
  window.name = ''
  localStorage.clear()
  sessionStorage.clear()
  for (const [origin, kind, name, text] of [${stored.join()}])
    if (origin === location.origin) window[kind].setItem(name, text)
}`
