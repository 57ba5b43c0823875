import type { Changes } from '../../support/express-example.ts'

const APP = 'const app = express()\n'

/** The callback page, whose script handles the parameters of the fragment. */
const withPage = (script: string): Changes => [
  ["    response_mode: 'form_post',", ''],
  [
    APP,
    `${APP}app.get('/callback', (_request, response) => response.send(\`<!doctype html><title>Shop</title>
<p id="answer">One moment ...</p><script>${script}</script>\`))\n`,
  ],
]

const FORM = `
const form = document.createElement('form')
Object.assign(form, { method: 'post', action: '/answer' })
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const input = form.appendChild(document.createElement('input'))
  Object.assign(input, { type: 'hidden', name, value })
}
document.body.append(form)
form.submit()`

const FETCH = `
const body = JSON.stringify(Object.fromEntries(new URLSearchParams(location.hash.slice(1))))
const show = (text) => { document.querySelector('#answer').textContent = text }
fetch('/answer', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  .then((response) => response.text()).then(show, () => show('The shop is closed.'))`

/** The Express example as an app that reads the answer in the fragment. */
export const FRAGMENT = {
  /** The page posts the parameters to /answer, as a form. */
  byForm: [...withPage(FORM), ["app.post('/callback',", "app.post('/answer',"]],
  /** The page posts the parameters to /answer, as JSON with the last value of a repeated one. */
  byFetch: [...withPage(FETCH), ["app.post('/callback', express.urlencoded(),", "app.post('/answer', express.json(),"]],
} as const satisfies Readonly<Record<string, Changes>>
