// Adds a copy button to every snippet, where the browser lets a page write to the clipboard.
function addButtons() {
  for (const snippet of document.querySelectorAll('[data-copy]:not(:has(> .copy))')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy boxed'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(snippet.querySelector('pre').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    snippet.append(button)
  }
}

if (navigator.clipboard) {
  addButtons()
  document.addEventListener('refreshed', addButtons)
}
