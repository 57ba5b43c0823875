// Shows a part of another page in its place: the reasons of a row below it, the endings in their section. Without this script
// the links lead to these pages.
const partOf = async (link) => {
  const response = await fetch(link.href, { headers: { Accept: 'text/html' } }).catch(
    () => undefined,
  )
  if (!response?.ok) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return page.querySelector('[data-part]') ?? undefined
}

document.addEventListener('click', async (event) => {
  const link = event.target.closest('.rows a')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const row = link.closest('li')
  const shown = row.querySelector('[data-part]')
  if (shown) shown.hidden = !shown.hidden
  else if (!link.hasAttribute('aria-busy')) {
    link.setAttribute('aria-busy', 'true')
    const part = await partOf(link)
    link.removeAttribute('aria-busy')
    // The page of the reasons says what is wrong, for example that the request is over.
    if (!part) return location.assign(link.href)
    row.append(part)
  }
  link.setAttribute('aria-expanded', String(!row.querySelector('[data-part]')?.hidden))
})

const load = async (section) => {
  const link = section.querySelector('form > a')
  if (!section.open || !link || link.hasAttribute('aria-busy')) return
  link.setAttribute('aria-busy', 'true')
  const part = await partOf(link)
  link.removeAttribute('aria-busy')
  if (!part) return
  link.replaceWith(part)
  part.dispatchEvent(new CustomEvent('loaded', { bubbles: true }))
}
for (const section of document.querySelectorAll('details[data-load]')) {
  section.addEventListener('toggle', () => load(section))
  load(section)
}
