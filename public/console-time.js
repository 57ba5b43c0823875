// Times by the reader's own clock: added to the title of each time, and shown on the clock page, whose clock ticks.
// Without this script a page shows UTC as it was loaded.
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const localForm = (instant) => `${local.format(instant)} (${zone})`

function addLocalTimes() {
  for (const time of document.querySelectorAll(
    'time[datetime]:not([data-clock], [data-has-local])',
  )) {
    const instant = new Date(time.dateTime)
    if (Number.isNaN(instant.getTime())) continue
    time.title = [time.title, localForm(instant)].filter(Boolean).join('\n')
    time.dataset.hasLocal = ''
  }
}

for (const time of document.querySelectorAll('time[data-clock]')) {
  const shown = Date.parse(time.dateTime)
  const localTime = document.getElementById(time.dataset.local)
  const show = (instant) => {
    time.dateTime = instant.toISOString()
    time.textContent = `${time.dateTime.slice(0, 19).replace('T', ' ')}Z`
    if (localTime) localTime.textContent = localForm(instant)
  }
  show(new Date(shown))
  if (time.dataset.clock !== 'running') continue
  const loadedAt = performance.now()
  setInterval(() => show(new Date(shown + performance.now() - loadedAt)), 1000)
}
addLocalTimes()
document.addEventListener('refreshed', addLocalTimes)
