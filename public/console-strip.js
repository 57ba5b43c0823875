// Keeps the status strip current: from each page that is fetched again, and when the reader comes back to the tab.
// Without this script a reload does the same.
function takeStrip(page) {
  const strip = document.querySelector('[data-strip]')
  const fresh = page?.querySelector('[data-strip]')
  if (!strip || !fresh || strip.outerHTML === fresh.outerHTML) return
  // Nothing moves below a pointer or the focus.
  if (strip.matches(':hover, :focus-within') || strip.querySelector(':popover-open')) return
  strip.replaceWith(document.importNode(fresh, true))
}

document.addEventListener('refreshed', (event) => takeStrip(event.detail))
document.addEventListener('visibilitychange', async () => {
  if (document.visibilityState !== 'visible') return
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(
    () => undefined,
  )
  if (response?.ok) takeStrip(new DOMParser().parseFromString(await response.text(), 'text/html'))
})
