// The keys 1 to 9 press the first nine buttons of a list that are shown, unless they are switched off or one is writing.
const setting = document.querySelector('[data-shortcuts]')
if (setting) {
  const list = document.getElementById(setting.dataset.shortcuts)
  const box = setting.querySelector('input')
  const STORAGE_KEY = 'agekey-sandbox-shortcuts'

  const stored = (value) => {
    // A page in a foreign iframe may not store anything.
    try {
      if (value !== undefined) localStorage.setItem(STORAGE_KEY, value)
      return localStorage.getItem(STORAGE_KEY)
    } catch {
      return null
    }
  }

  const shown = () => [...list.querySelectorAll('li:not([hidden]) > button')].slice(0, 9)

  const hint = () => {
    for (const key of list.querySelectorAll('kbd')) key.remove()
    for (const button of list.querySelectorAll('button')) button.removeAttribute('aria-keyshortcuts')
    if (!box.checked) return
    for (const [index, button] of shown().entries()) {
      const key = document.createElement('kbd')
      key.textContent = String(index + 1)
      key.setAttribute('aria-hidden', 'true')
      button.append(key)
      button.setAttribute('aria-keyshortcuts', key.textContent)
    }
  }

  document.addEventListener('keydown', (event) => {
    const isWriting = event.target.closest('input:not([type="checkbox"]), select, textarea')
    if (!box.checked || isWriting || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (/^[1-9]$/.test(event.key)) shown()[Number(event.key) - 1]?.click()
  })
  box.addEventListener('change', () => {
    stored(box.checked ? 'on' : 'off')
    hint()
  })
  list.addEventListener('narrowed', hint)
  box.checked = stored() !== 'off'
  setting.hidden = false
  hint()
}
