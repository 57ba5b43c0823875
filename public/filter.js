// Narrows a list down to what contains every word that was written. Headings without anything below them go too.
for (const filter of document.querySelectorAll('[data-filter]')) {
  const list = document.getElementById(filter.dataset.filter)
  const field = filter.querySelector('input')
  const status = filter.querySelector('[role="status"]')
  const items = [...list.querySelectorAll('li:has(> button)')]
  const texts = new Map(items.map((item) => [item, item.querySelector('button').textContent.toLowerCase()]))

  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/)
    for (const item of items) item.hidden = !words.every((word) => texts.get(item).includes(word))
    for (const section of list.querySelectorAll('section')) {
      section.hidden = !section.querySelector('li:has(> button):not([hidden])')
    }
    const shown = items.filter((item) => !item.hidden).length
    status.textContent = field.value.trim() === '' ? '' : `${shown} / ${items.length}`
    list.dispatchEvent(new CustomEvent('narrowed'))
  }

  field.addEventListener('input', narrow)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      field.value = ''
      narrow()
    }
    if (event.key !== 'Enter') return
    // Enter in a field would press the first button of its form: it goes to the first match instead.
    event.preventDefault()
    list.querySelector('li:not([hidden]) > button')?.focus()
  })
  filter.hidden = false
  // The browser may have kept what was written when it comes back to the page.
  narrow()
}
