// Narrows a list down to what contains every word that was written, and opens the groups that have matches. Enter takes the
// first match: the entry of exactly this name, else the first that is shown.
function attach(filter) {
  const list = document.getElementById(filter.dataset.filter)
  const field = filter.querySelector('input')
  const status = filter.querySelector('[role="status"]')
  const elsewhere = filter.querySelector('[data-elsewhere]')
  const entries = [...list.querySelectorAll('li > button')].map((button) => ({
    button,
    row: button.parentElement,
    text: textOf(button),
  }))
  const groups = [...list.querySelectorAll('ul')].map((rows) => {
    const around = rows.closest('details, section')
    const count = around?.querySelector(':scope > summary .count')
    return { rows, group: list.contains(around) ? around : rows, count, total: count?.textContent }
  })
  /** The groups that were open before the first letter. */
  let openBefore
  let first

  const narrow = () => {
    const query = field.value.trim().toLowerCase()
    const words = query.split(/\s+/)
    for (const { row, text } of entries) row.hidden = !words.every((word) => text.includes(word))
    const shown = entries.filter(({ row }) => !row.hidden)
    const folded = groups.map(({ group }) => group).filter((group) => group.matches('details'))
    if (query !== '') openBefore ??= folded.filter((group) => group.open)
    for (const { rows, group, count, total } of groups) {
      const left = rows.querySelectorAll(':scope > li:not([hidden])').length
      group.hidden = left === 0
      if (count) count.textContent = query === '' ? total : left
    }
    for (const group of folded) {
      if (query !== '') group.open = !group.hidden
      else if (openBefore) group.open = openBefore.includes(group)
    }
    if (query === '') openBefore = undefined
    delete first?.row.dataset.first
    first =
      query === ''
        ? undefined
        : (shown.find(({ button }) => button.value === query) ??
          shown.find(({ button }) => !button.disabled))
    if (first) first.row.dataset.first = ''
    status.textContent = query === '' ? '' : `${shown.length} / ${entries.length}`
    if (elsewhere) elsewhere.hidden = shown.length > 0
    if (shown.length === 0) status.replaceChildren(...nearest(query))
  }

  /** Says that nothing matches, with the names that are spelt most like the query: a button writes one into the field. */
  const nearest = (query) => {
    const names = entries.map(({ button }) => button.value)
    const alike = names
      .map((name) => ({ name, likeness: likeness(query, name) }))
      .filter((one) => one.likeness > 0.25)
      .sort((one, other) => other.likeness - one.likeness)
      .slice(0, 3)
    if (alike.length === 0) return [filter.dataset.none]
    return [
      `${filter.dataset.none} ${filter.dataset.nearest} `,
      ...alike.map(({ name }) => {
        const button = document.createElement('button')
        button.type = 'button'
        button.textContent = name
        button.addEventListener('click', () => {
          field.value = name
          narrow()
          field.focus()
        })
        return button
      }),
    ]
  }

  field.addEventListener('input', narrow)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      field.value = ''
      narrow()
    }
    if (event.key !== 'Enter') return
    // Enter in a field would press the first button of its form. A word that is still being composed is no query yet.
    event.preventDefault()
    if (!event.isComposing) first?.button.click()
  })
  filter.hidden = false
  // The browser may have kept what was written when it comes back to the page.
  narrow()
}

/** What is searched: every word of the button and its titles, but no age of an answer, which nearly every row has. */
function textOf(button) {
  const copy = button.cloneNode(true)
  for (const answers of copy.querySelectorAll('.answers')) answers.remove()
  for (const reason of copy.querySelectorAll('small'))
    reason.textContent = reason.textContent.replace(/\d+/g, '')
  const titles = [...copy.querySelectorAll('[title]')].map(({ title }) => title)
  return [copy.textContent, ...titles].join(' ').toLowerCase()
}

/** How many pairs of letters two names share, 0 to 1: spelling mistakes and swapped parts leave most of them. */
function likeness(query, name) {
  const pairsOf = (text) => new Set([...text].slice(1).map((letter, index) => text[index] + letter))
  const [asked, own] = [pairsOf(query), pairsOf(name)]
  const shared = [...asked].filter((pair) => own.has(pair)).length
  return (2 * shared) / (asked.size + own.size || 1)
}

const attachAll = (root) => {
  for (const filter of root.querySelectorAll('[data-filter][hidden]')) attach(filter)
}
attachAll(document)
document.addEventListener('loaded', ({ target }) => attachAll(target))
