import * as z from 'zod'
import { MAX_PAGE_BYTES } from '../exchange.ts'

/** The name by which the audit reaches its script in a page. */
const NAME = '__agekeyAudit'
/** Called by each page before its own scripts run. */
export const STORED_BINDING = '__agekeyAuditStored'
/** Called instead of opening a popup. */
export const POPUP_BINDING = '__agekeyAuditPopup'
/** A page whose text stays the same for so long has come to rest. */
const QUIET_MS = 100
/** One that has said nothing since it was loaded may still be reading the answer that it was given. */
const SILENT_MS = 800
/** Timers of a page are waited for up to this long in all: a clock ticks for ever. */
const TIMERS_MS = 2000

/** What a page keeps in this browser. */
export const storedSchema = z.object({
  origin: z.string(),
  local: z.record(z.string(), z.string()),
  session: z.record(z.string(), z.string()),
})
export type Stored = Readonly<z.infer<typeof storedSchema>>

export const snapshotSchema = z.object({ url: z.string(), html: z.string(), stored: storedSchema })

/**
 * Runs in each page before its own scripts: it sees whether the page still changes, computes or waits. A text, because a compiler
 * would put names into a function that no page knows.
 */
export const PAGE_SCRIPT = `(() => {
if (window !== window.top) return
const { setTimeout: later, clearTimeout: cancel, requestAnimationFrame: frame } = window
// In milliseconds.
const now = () => new Event('now').timeStamp
const state = { changed: now(), change: undefined, hasSpoken: false, timers: new Set(), budget: ${TIMERS_MS}, computing: 0 }
new MutationObserver((records) => {
  state.changed = now()
  state.change = records.at(-1)
  state.hasSpoken ||= document.readyState !== 'loading'
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden'] })

window.setTimeout = (run, ms = 0, ...args) => {
  if (typeof run !== 'function') return later(run, ms, ...args)
  const id = later((...given) => {
    state.timers.delete(id)
    run(...given)
  }, ms, ...args)
  state.budget -= Math.max(10, ms)
  if (state.budget >= 0) state.timers.add(id)
  return id
}
const open = window.open
window.open = (url, target, ...more) => {
  if (['_self', '_top', '_parent'].includes(target)) return open(url, target, ...more)
  window['${POPUP_BINDING}']?.('')
  return null
}
window.clearTimeout = (id) => {
  state.timers.delete(id)
  cancel(id)
}
const subtle = globalThis.SubtleCrypto?.prototype ?? {}
for (const name of Object.getOwnPropertyNames(subtle)) {
  const method = name === 'constructor' ? undefined : subtle[name]
  if (typeof method !== 'function') continue
  subtle[name] = function (...args) {
    state.computing += 1
    const done = () => { state.computing -= 1 }
    const result = method.apply(this, args)
    result.then(done, done)
    return result
  }
}

const storage = (kind) => {
  try { return { ...window[kind] } } catch { return {} }
}
const stored = () => ({ origin: location.origin, local: storage('localStorage'), session: storage('sessionStorage') })
const roots = (node) => [...node.querySelectorAll('*')].flatMap(({ shadowRoot: root }) => root ? [root, ...roots(root)] : [])
const isResting = (isAnswer) => document.readyState === 'complete' && state.timers.size === 0 && state.computing === 0
  && now() - state.changed >= (isAnswer && !state.hasSpoken ? ${SILENT_MS} : ${QUIET_MS})
const audit = {
  rest: ({ isAnswer }) => new Promise((resolve) => {
    const look = () => isResting(isAnswer) ? twoFrames(() => isResting(isAnswer) ? resolve(true) : later(look, 10)) : later(look, 10)
    // A tab in the background draws no frames.
    const twoFrames = (done) => {
      let isDone = false
      const once = () => {
        if (!isDone) done()
        isDone = true
      }
      frame(() => frame(once))
      later(once, 250)
    }
    look()
  }),
  unrest: () => {
    const { target } = state.change ?? {}
    const element = target?.nodeType === 1 ? target : target?.parentElement
    if (now() - state.changed < 1000 && element) {
      const id = element.id === '' ? '' : ' id="' + element.id + '"'
      return '<' + element.localName + id + '> keeps changing'
    }
    return state.computing > 0 ? 'its script computes for ever' : 'it keeps loading'
  },
  snapshot: () => ({
    url: location.href,
    html: [document.documentElement.outerHTML, ...roots(document).map((root) => root.innerHTML)].join('').slice(0, ${MAX_PAGE_BYTES}),
    stored: stored(),
  }),
  restore: ({ local, session }) => {
    for (const name of local) localStorage.removeItem(name)
    for (const [name, value] of Object.entries(session)) sessionStorage.setItem(name, value)
  },
  press: ({ endpoints, isBeginning, isCreating }) => {
    const all = (selector) => [document, ...roots(document)].flatMap((root) => [...root.querySelectorAll(selector)])
    const isThere = (element) => !element.disabled && !pressed.has(element) && (element.checkVisibility?.() ?? true)
    const leads = (url) => endpoints.some((endpoint) => url === endpoint || url?.startsWith(endpoint + '?'))
    const wordsOf = (element) =>
      [element.innerText, element.value, element.getAttribute('aria-label'), element.title].filter(Boolean).join(' ').replace(/\\s+/g, ' ').trim()
    const links = all('a[href]').filter(isThere)
    const forms = all('form').filter((form) => !pressed.has(form))
    const buttons = all('button, input[type=submit], input[type=button], input[type=image], [role=button]').filter(isThere)
    const link = links.find(({ href }) => leads(href))
    const form = forms.find(({ action }) => leads(action))
    const spoken = (about) => [...buttons, ...links].find((element) => about.every((words) => words.test(wordsOf(element))))
    const isOf = (...about) => isBeginning ? spoken(about) : undefined
    const found = link ?? form
      ?? isOf(PROVES, AGE) ?? isOf(PROVES) ?? isOf(AGE)
      ?? (isCreating ? spoken([CREATES, AGE]) : undefined)
      ?? (isBeginning && buttons.length === 1 ? buttons[0] : undefined)
    if (!found) return ''
    pressed.add(found)
    state.changed = now()
    if (found.target) found.target = '_self'
    const name = found.localName + ' ' + JSON.stringify(wordsOf(found).slice(0, 60))
    if (found === form) found.requestSubmit(found.querySelector('button:not([type=button]):not([type=reset]), input[type=submit]'))
    else found.click()
    return name
  },
}
const pressed = new WeakSet()
const PROVES = /\\b(?:prove|proof|verify|verification|confirm|check)/i
const CREATES = /\\b(?:create|save|keep)\\b/i
const AGE = /\\bage\\b|\\b(?:1[68]|21)\\b|\\bold\\b|\\badult/i
Object.defineProperty(window, '${NAME}', { value: audit })
window['${STORED_BINDING}']?.(JSON.stringify(stored()))
})()`

/** An expression that calls the script of the page. */
export const callOf = (method: 'rest' | 'unrest' | 'snapshot' | 'restore' | 'press', argument?: object): string =>
  `${NAME}.${method}(${argument === undefined ? '' : JSON.stringify(argument)})`
