// Shows the reasons of an answer in its place when they are opened. Without this script a link leads to the page that has them.
document.addEventListener(
  'toggle',
  async ({ target: part }) => {
    const link = part.matches('details[data-why][open]') ? part.querySelector('a') : null
    if (!link) return
    const response = await fetch(link.href, { headers: { Accept: 'text/html' } }).catch(() => undefined)
    if (!response?.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const reasons = page.querySelector('[data-reasons]')
    if (reasons && link.isConnected) link.replaceWith(reasons)
  },
  // The event does not bubble.
  true,
)
