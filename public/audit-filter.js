// Narrows the rows of a report down by verdict and text, and opens the parts that have matches. Without it all rows are there.
function attach(filter) {
  const [verdict, text] = filter.querySelectorAll('select, input')
  const shown = document.querySelector('[data-audit-shown]')
  const rows = [...document.querySelectorAll('.audit-family tbody tr')].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    verdict: row.querySelector('[data-verdict]').textContent,
  }))
  const parts = [
    ...document.querySelectorAll('details:is(.audit-family, :has(.audit-family))'),
  ].map((part) => ({
    part,
    wasOpen: part.open,
  }))

  const narrow = () => {
    const words = text.value.trim().toLowerCase().split(/\s+/)
    const isAll = verdict.value === '' && text.value.trim() === ''
    for (const entry of rows) {
      const fits = verdict.value === '' || entry.verdict === verdict.value
      entry.row.hidden = !(fits && words.every((word) => entry.text.includes(word)))
    }
    for (const { part, wasOpen } of parts) {
      const fits = part.querySelector('tbody tr:not([hidden])') !== null
      part.open = isAll ? wasOpen : fits
      part.hidden = !fits && part.matches('.audit-family')
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
