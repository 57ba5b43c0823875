// Takes new flows into the table without moving what is being read: rows change where they are, and new ones wait behind a
// button while the page is scrolled or a row is selected.
;(() => {
  const list = document.querySelector('#timeline')
  const button = document.querySelector('[data-new-flows]')
  const rowsIn = (part) => [...part.querySelectorAll('.flow-row')]
  const idOf = (row) => row.dataset.testid
  let held

  /** Whether rows would move below the eyes of the reader. */
  const isReading = () =>
    list.getBoundingClientRect().top < 0 ||
    list.contains(document.activeElement) ||
    list.querySelector('.flow-row[aria-current]') !== null

  /** Shows what is new of a row that stays where it is: its selection and the focus are not touched. */
  function update(row, fresh) {
    const link = row.querySelector('a')
    const isFocused = document.activeElement === link
    row.className = fresh.className
    if (row.innerHTML === fresh.innerHTML) return
    row.replaceChildren(...[...fresh.childNodes].map((node) => node.cloneNode(true)))
    if (isFocused) row.querySelector('a').focus({ preventScroll: true })
    row.dispatchEvent(new CustomEvent('changed', { bubbles: true }))
  }

  function show(fresh) {
    held = undefined
    button.hidden = true
    const known = new Map(rowsIn(list).map((row) => [idOf(row), row]))
    const rows = rowsIn(fresh).map((row) => known.get(idOf(row)) ?? row)
    list.querySelector('tbody').replaceChildren(...rows)
    list.querySelector('.links')?.remove()
    const older = fresh.querySelector('.links')
    if (older) list.append(older)
  }

  list.addEventListener('fresh', (event) => {
    const fresh = event.detail
    const table = list.querySelector('table')
    const freshTable = fresh.querySelector('table')
    if (!table || !freshTable) {
      held = undefined
      button.hidden = true
      return
    }
    event.preventDefault()
    table.dataset.now = freshTable.dataset.now
    table.toggleAttribute('data-frozen', freshTable.hasAttribute('data-frozen'))
    const known = new Map(rowsIn(list).map((row) => [idOf(row), row]))
    for (const row of rowsIn(fresh)) if (known.has(idOf(row))) update(known.get(idOf(row)), row)
    const count = rowsIn(fresh).findIndex((row) => known.has(idOf(row)))
    const added = count < 0 ? rowsIn(fresh).length : count
    if (added === 0) return
    if (!isReading()) return show(fresh)
    held = fresh
    button.textContent = `${added}${count < 0 ? ' or more' : ''} new ${added === 1 ? 'flow' : 'flows'}: show`
    button.hidden = false
  })

  button.addEventListener('click', () => {
    if (!held) return
    show(held)
    document.dispatchEvent(new CustomEvent('refreshed'))
    scrollTo({ top: 0 })
  })
})()
