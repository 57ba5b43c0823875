import { begin, readAnswer } from './age.js'

const answer = document.querySelector('#answer')
document.querySelector('#verify').addEventListener('click', () => begin([18]))

// The answer comes in the fragment of this page's address.
const fragment = new URLSearchParams(location.hash.slice(1))
history.replaceState(null, '', location.pathname) // neither the history nor a bookmark keeps the token
if (fragment.has('state')) {
  try {
    const { 18: isAdult } = await readAnswer(fragment, [18])
    answer.textContent = isAdult ? 'Welcome, you are 18.' : 'You are not 18.'
  } catch (error) {
    answer.textContent = `No age was proved: ${error.message}`
  }
}
