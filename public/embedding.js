// Says on the page itself when it is inside an iframe, and whether the iframe grants what a passkey needs. Browsers without
// the interface cannot tell: there the page says what is needed.
const notice = document.querySelector('[data-embedding]')
if (notice && window.top !== window) {
  notice.hidden = false
  const policy = document.permissionsPolicy ?? document.featurePolicy
  const permission = notice.dataset.embedding
  if (policy?.features().includes(permission)) {
    const found = policy.allowsFeature(permission) ? 'allowed' : 'denied'
    for (const line of notice.querySelectorAll('[data-permission]')) line.hidden = line.dataset.permission !== found
  }
  // The server cannot know it of every browser, and must not redirect from here.
  for (const form of document.querySelectorAll('form')) {
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = 'framed'
    field.value = 'true'
    form.append(field)
  }
}
