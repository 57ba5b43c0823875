// Times by the reader's own clock: a title on each time, the local form beside the time of the clock page, and a clock that ticks.
// Without this script a page shows UTC as it was loaded.
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

function addLocalTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const instant = new Date(time.dateTime)
    if (!Number.isNaN(instant.getTime())) time.title ||= `${local.format(instant)} (${zone})`
  }
}

/** Shows an instant in an element with `data-clock`, and in the one that it names for the local form. */
function showClock(time, instant) {
  time.dateTime = instant.toISOString()
  time.textContent = `${time.dateTime.slice(0, 19).replace('T', ' ')}Z`
  const localTime = document.getElementById(time.dataset.local)
  if (localTime) localTime.textContent = `${local.format(instant)} (${zone})`
}

for (const time of document.querySelectorAll('time[data-clock]')) {
  const shown = Date.parse(time.dateTime)
  const loaded = performance.now()
  const isRunning = time.dataset.clock === 'running'
  const show = () => showClock(time, new Date(shown + (isRunning ? performance.now() - loaded : 0)))
  show()
  if (isRunning) setInterval(show, 1000)
}
addLocalTimes()
document.addEventListener('refreshed', addLocalTimes)
