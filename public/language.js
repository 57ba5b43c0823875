// Changes the language as soon as one is picked with the pointer. By keyboard one moves through the list first, so there the
// button submits.
const menu = document.querySelector('.language')
if (menu) {
  const select = menu.querySelector('select')
  let isByKeyboard = false
  select.addEventListener('keydown', () => {
    isByKeyboard = true
  })
  select.addEventListener('pointerdown', () => {
    isByKeyboard = false
  })
  select.addEventListener('change', () => {
    if (!isByKeyboard) select.form.requestSubmit()
  })
}
