// Says before the click that the sandbox refuses the forms of this page: a proxy may hide the address in the browser from the server.
const unknownAddress = document.querySelector('template[data-known-origins]')
if (unknownAddress && !unknownAddress.dataset.knownOrigins.split(' ').includes(location.origin)) {
  unknownAddress.content.querySelector('[data-origin]').textContent = location.origin
  unknownAddress.replaceWith(unknownAddress.content)
}
