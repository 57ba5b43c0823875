// Narrows the rows of a report down by verdict and text, and opens the families that have matches. Without it all rows are there.
function attach(filter) {
  const [verdict, text] = filter.querySelectorAll('select, input')
  const shown = document.querySelector('[data-audit-shown]')
  const textOf = (row) => row.textContent.toLowerCase()
  const entriesIn = (selector) =>
    [...document.querySelectorAll(selector)].map((row) => ({
      row,
      text: textOf(row),
      verdict: row.querySelector('[data-verdict]').textContent,
    }))
  const rows = entriesIn('.audit-family tbody tr')
  const entries = [...rows, ...entriesIn('.audit-findings > li')]
  const families = [...document.querySelectorAll('.audit-family')]

  const narrow = () => {
    const words = text.value.trim().toLowerCase().split(/\s+/)
    const isAll = verdict.value === '' && text.value.trim() === ''
    for (const entry of entries) {
      const fits = verdict.value === '' || entry.verdict === verdict.value
      entry.row.hidden = !(fits && words.every((word) => entry.text.includes(word)))
    }
    for (const family of families) {
      family.hidden = !family.querySelector('tbody tr:not([hidden])')
      family.open = !isAll && !family.hidden
    }
    const found = rows.filter(({ row }) => !row.hidden).length
    shown.textContent = isAll ? '' : `${found} of ${rows.length} rows`
  }

  filter.addEventListener('input', narrow)
  filter.addEventListener('submit', (event) => event.preventDefault())
  filter.hidden = false
  // The browser may have kept what was chosen when it comes back to the page.
  if (verdict.value !== '' || text.value !== '') narrow()
}

const filter = document.querySelector('[data-audit-filter]')
if (filter) attach(filter)
