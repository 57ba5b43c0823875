// Keeps a part of a console page current: when the sandbox tells of a call, the page is fetched again and the part replaced.
// Without this script, or without the event stream, a reload does the same.
const REST_MS = 200
const part = document.querySelector('[data-live]')
const source = document.querySelector('[data-events]')
const state = document.querySelector('[data-live-state]')

if (part && source && window.EventSource) {
  let isRunning = false
  let isStale = false
  const say = (text) => {
    if (!state) return
    state.hidden = false
    if (state.textContent !== text) state.textContent = text
  }

  const refresh = async () => {
    const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(
      () => undefined,
    )
    if (!response?.ok) return
    const freshPage = new DOMParser().parseFromString(await response.text(), 'text/html')
    const fresh = freshPage.querySelector('[data-live]')
    if (!fresh) return
    // A page that knows its part better takes what is new in by itself.
    const isLeft = part.dispatchEvent(new CustomEvent('fresh', { detail: fresh, cancelable: true }))
    if (isLeft) replace(fresh)
    document.dispatchEvent(new CustomEvent('refreshed', { detail: freshPage }))
  }

  const replace = (fresh) => {
    // What the reader has opened stays open, and the focus stays where it was.
    for (const { id } of part.querySelectorAll('details[open][id]')) {
      fresh.querySelector(`#${CSS.escape(id)}`)?.setAttribute('open', '')
    }
    const focused = part.contains(document.activeElement)
      ? document.activeElement.getAttribute('href')
      : null
    part.replaceChildren(...fresh.childNodes)
    if (focused) part.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus()
  }

  const onEvent = (event) => {
    const { id } = JSON.parse(event.data)
    const wanted = source.dataset.flow
    if (wanted !== undefined && id !== wanted) return
    run()
  }

  /** One fetch at a time: what happens during one is shown by the next. */
  const run = async () => {
    isStale = true
    if (isRunning) return
    isRunning = true
    while (isStale) {
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
      isStale = false
      await refresh()
    }
    isRunning = false
  }

  const events = new EventSource(source.dataset.events)
  for (const type of ['call', 'flow', 'scenario', 'reset']) events.addEventListener(type, onEvent)
  events.addEventListener('open', () => say('Live'))
  events.addEventListener('error', () => say('Not live: reload the page to see what is new'))
  // An open stream keeps a page out of the back-forward cache.
  addEventListener('pagehide', () => events.close())
}
