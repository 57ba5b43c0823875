// A double click sends a form once: the second request would find the first one answered, and show that instead of the app.
let isSent = false
document.addEventListener('submit', (event) => {
  if (isSent) event.preventDefault()
  isSent = true
})
// Coming back by the back button, the page may be used again; it then says that its request is over.
window.addEventListener('pageshow', () => {
  isSent = false
})
