// Says on the page itself when it is inside an iframe, and whether the iframe grants what a passkey needs. Browsers without
// the interface cannot tell: there the page says what is needed.
const notice = document.querySelector('[data-embedding]')
if (notice && window.top !== window) {
  notice.hidden = false
  const policy = document.permissionsPolicy ?? document.featurePolicy
  const permission = notice.dataset.embedding
  // The server cannot know it of every browser, and must not redirect from here.
  const fields = { framed: 'true' }
  if (policy?.features().includes(permission)) {
    const found = policy.allowsFeature(permission) ? 'allowed' : 'denied'
    for (const line of notice.querySelectorAll('[data-permission]'))
      line.hidden = line.dataset.permission !== found
    fields.permission = found
    // Removed, not hidden: a key would still press what is hidden. The button in the notice brings it back.
    if (found === 'denied' && !('continued' in notice.dataset)) {
      for (const part of document.querySelectorAll('[data-passkey]')) part.remove()
    }
  }
  // The endings are asked for by their address.
  for (const link of document.querySelectorAll('[data-load] form > a'))
    link.search += '&framed=true'
  for (const form of document.querySelectorAll('form')) {
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement('input')
      field.type = 'hidden'
      field.name = name
      field.value = value
      form.append(field)
    }
  }
}
