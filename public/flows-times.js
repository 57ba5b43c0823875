// Counts on how long ago each flow began, by the clock of the sandbox; a frozen clock stands still.
;(() => {
  const UNITS = [
    [120, 1, 's'],
    [7_200, 60, 'min'],
    [172_800, 3_600, 'h'],
    [Number.POSITIVE_INFINITY, 86_400, 'd'],
  ]
  let loaded = performance.now()

  /** As `ago` in the server. */
  function ago(instant, now) {
    const seconds = Math.round(Math.abs(now - instant) / 1000)
    if (seconds < 2) return 'now'
    const [, size, unit] = UNITS.find(([most]) => seconds < most)
    const length = `${Math.floor(seconds / size)} ${unit}`
    return instant > now ? `in ${length}` : `${length} ago`
  }

  function count() {
    for (const clock of document.querySelectorAll('[data-now]')) {
      const passed = clock.hasAttribute('data-frozen') ? 0 : performance.now() - loaded
      const now = Date.parse(clock.dataset.now) + passed
      for (const shown of clock.querySelectorAll('time:has([data-ago])')) {
        const instant = Date.parse(shown.dateTime)
        const text = Number.isNaN(instant) ? 'unknown' : ago(instant, now)
        const part = shown.querySelector('[data-ago]')
        if (part.textContent !== text) part.textContent = text
      }
    }
  }

  setInterval(count, 1000)
  document.addEventListener('refreshed', () => {
    loaded = performance.now()
    count()
  })
})()
