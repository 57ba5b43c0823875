// Says that the device lacks the requested font: only a browser can tell. A family that it has gives a text another width than at
// least one of the general families.
const asking = document.querySelector('[data-font]')
const context = document.createElement('canvas').getContext('2d')
if (asking && context) {
  const widthIn = (families) => {
    context.font = `72px ${families}`
    return context.measureText('mmmMMMlliiWWW@@&&0123456789').width
  }
  const family = JSON.stringify(asking.dataset.font)
  const isThere = ['serif', 'sans-serif', 'monospace'].some(
    (one) => widthIn(`${family}, ${one}`) !== widthIn(one),
  )
  if (!isThere) {
    for (const part of document.querySelectorAll('[data-unsure]')) part.hidden = false
    for (const form of document.querySelectorAll('form')) {
      const field = document.createElement('input')
      field.type = 'hidden'
      field.name = 'font'
      field.value = 'missing'
      form.append(field)
    }
  }
}
