// Response mode fragment: only the browser sees what comes behind the #, so this script hands it to the app's server.
const form = document.querySelector('form[data-fragment]')
if (form && location.hash.length > 1) {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = name
    field.value = value
    form.append(field)
  }
  // A token does not belong in the history of the browser.
  history.replaceState(null, '', location.pathname)
  HTMLFormElement.prototype.submit.call(form)
}
