// Moves through the table by j and k, and shows beside it the beginning of the selected flow. Enter follows the link that has
// the focus, as everywhere. Without this script each row is a link.
;(() => {
  const list = document.querySelector('#timeline')
  const preview = document.querySelector('[data-flow-preview]')
  const search = document.querySelector('[data-flow-search]')
  const isWide = matchMedia('(min-width: 64rem)')
  const REST_MS = 80
  let asked
  let resting

  const rows = () => [...list.querySelectorAll('.flow-row')]
  const selected = () => list.querySelector('.flow-row[aria-current]')
  const linkOf = (row) => row.querySelector('a')

  function select(row) {
    selected()?.removeAttribute('aria-current')
    row.setAttribute('aria-current', 'true')
    row.scrollIntoView({ block: 'nearest' })
    clearTimeout(resting)
    resting = setTimeout(showPreview, REST_MS)
  }

  async function showPreview() {
    const row = selected()
    if (!row || !isWide.matches) return
    asked?.abort()
    asked = new AbortController()
    const response = await fetch(linkOf(row).href, { signal: asked.signal }).catch(() => undefined)
    if (!response?.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const head = document.createElement('p')
    head.className = 'row spread'
    const link = document.createElement('a')
    link.className = 'target'
    link.href = linkOf(row).href
    link.textContent = `Open ${page.querySelector('h1')?.textContent ?? 'the flow'}`
    const close = document.createElement('button')
    close.type = 'button'
    close.className = 'secondary'
    close.textContent = 'Close'
    close.addEventListener('click', leave)
    head.append(link, close)
    preview.replaceChildren(head, ...page.querySelectorAll('[data-preview]'))
    preview.hidden = false
    row.scrollIntoView({ block: 'nearest' })
    document.dispatchEvent(new CustomEvent('refreshed'))
  }

  function leave() {
    asked?.abort()
    clearTimeout(resting)
    const row = selected()
    row?.removeAttribute('aria-current')
    if (list.contains(document.activeElement)) document.activeElement.blur()
    preview.hidden = true
    preview.replaceChildren()
  }

  /** Focuses the link of the row that is `step` rows further, or the first one. */
  function move(step) {
    const all = rows()
    const row = all[Math.max(0, Math.min(all.length - 1, all.indexOf(selected()) + step))]
    if (!row) return
    linkOf(row).focus({ preventScroll: true })
    select(row)
  }

  const isTyping = ({ target }) => target.matches('input:not([type=checkbox]), select')

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return leave()
    if (isTyping(event)) return
    if (event.key === 'j') move(1)
    else if (event.key === 'k') move(-1)
    else if (event.key === '/') search.querySelector('.q').focus()
    else return
    event.preventDefault()
  })

  list.addEventListener('click', (event) => {
    const row = event.target.closest('.flow-row')
    if (!row || event.target.closest('a') || !getSelection().isCollapsed) return
    if (isWide.matches) select(row)
    else linkOf(row).click()
  })
  list.addEventListener('changed', (event) => {
    if (event.target === selected()) showPreview()
  })
  search.querySelector('[name=status]').addEventListener('change', () => search.requestSubmit())
  search.querySelector('[name=flow]').addEventListener('change', () => search.requestSubmit())
  for (const keys of document.querySelectorAll('[data-keys]')) keys.hidden = !isWide.matches
})()
