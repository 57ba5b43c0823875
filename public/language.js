// Changes the language as soon as one is picked with the pointer. By keyboard one moves through the list first: the button that
// submits appears only then, and Enter does the same.
const menu = document.querySelector('.language')
if (menu) {
  const select = menu.querySelector('select')
  const button = menu.querySelector('button')
  const initial = select.value
  let isByKeyboard = false
  button.hidden = true
  select.addEventListener('keydown', (event) => {
    isByKeyboard = true
    if (event.key === 'Enter' && select.value !== initial) select.form.requestSubmit()
  })
  select.addEventListener('pointerdown', () => {
    isByKeyboard = false
  })
  select.addEventListener('change', () => {
    if (isByKeyboard) button.hidden = select.value === initial
    else select.form.requestSubmit()
  })
}
