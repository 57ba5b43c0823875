// Keys for a list: / goes to its search, 1 to 9 press the buttons that stand open at its top. They can be switched off.
const keys = document.querySelector('[data-shortcuts]')
if (keys) {
  const list = document.getElementById(keys.dataset.shortcuts)
  const toggle = keys.querySelector('button')
  const buttons = [...list.querySelectorAll(':scope > ul > li > button')].slice(0, 9)
  const search = document.querySelector(`[data-filter="${keys.dataset.shortcuts}"] input`)
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

  let areOn = true
  const change = () => {
    areOn = !areOn
    const { other } = toggle.dataset
    toggle.dataset.other = toggle.textContent
    toggle.textContent = other
    hint()
  }

  const hint = () => {
    for (const key of list.querySelectorAll('kbd')) key.remove()
    search.toggleAttribute('aria-keyshortcuts', false)
    if (areOn) search.setAttribute('aria-keyshortcuts', '/')
    for (const [index, button] of buttons.entries()) {
      button.removeAttribute('aria-keyshortcuts')
      if (!areOn) continue
      const key = document.createElement('kbd')
      key.textContent = String(index + 1)
      key.setAttribute('aria-hidden', 'true')
      button.prepend(key)
      button.setAttribute('aria-keyshortcuts', key.textContent)
    }
  }

  document.addEventListener('keydown', (event) => {
    const isWriting = event.target.closest('input, select, textarea')
    if (!areOn || isWriting || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
      return
    if (event.key === '/') {
      event.preventDefault()
      search.focus()
      search.select()
    }
    // A row that the search has hidden cannot be meant.
    const button = /^[1-9]$/.test(event.key) ? buttons[Number(event.key) - 1] : undefined
    if (button && !button.parentElement.hidden) button.click()
  })
  toggle.addEventListener('click', () => {
    change()
    stored(areOn ? 'on' : 'off')
  })
  keys.hidden = false
  hint()
  if (stored() === 'off') change()
}
