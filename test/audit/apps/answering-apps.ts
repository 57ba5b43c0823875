import type { Changes } from '../../support/express-example.ts'

const APP = 'const app = express()\n'
const WELCOME = "  response.send('Welcome, you are 18.')\n"
const UNTRUSTED = "  response.status(400).send('This answer cannot be trusted.')\n"
const SAVED = `  response.send('Your age key is saved. <a href="/verify">Use it</a>')\n`
const UPGRADED = `    return response.send('Your age key says more now. <a href="/verify">Try again</a>')\n`
const NO_AGE = "response.status(403).send('No age was proved.')"
const TOO_YOUNG = "response.status(403).send('You are not 18 yet.')"

/** The Express example with all its checks, in other ways to say yes and no. */
export const ANSWERING: Readonly<Record<string, Changes>> = {
  'begins Use again after Create and after an upgrade': [
    [SAVED, "  response.redirect('/verify')\n"],
    [UPGRADED, "    return response.redirect('/verify')\n"],
  ],
  'begins Use again after an answer that it does not trust': [[UNTRUSTED, "  response.redirect('/verify')\n"]],
  'keeps members in a session, and sends everybody else to its first page': [
    [
      APP,
      `${APP}app.get('/members', ({ headers }, response) =>
  /member=1/.test(headers.cookie) ? response.send('For members only.') : response.redirect('/'))\n`,
    ],
    [WELCOME, "  response.cookie('member', '1').redirect('/members')\n"],
    [UNTRUSTED, "  response.redirect('/?failed=1')\n"],
    [NO_AGE, "response.redirect('/?denied=1')"],
  ],
  'asks for the answer in the query': [
    ["response_mode: 'form_post'", "response_mode: 'query'"],
    ["app.post('/callback', express.urlencoded(),", "app.get('/callback',"],
    ['request.body', 'request.query'],
    ["sameSite: 'none'", "sameSite: 'lax'"],
  ],
  'answers in JSON with the status 200': [
    ["response.send('Welcome, you are 18.')", 'response.json({ adult: true })'],
    [
      "response.status(400).send('This answer cannot be trusted.')",
      'response.json({ adult: false, error: error.message })',
    ],
    [NO_AGE, 'response.json({ adult: false, error })'],
    [TOO_YOUNG, "response.json({ adult: false, error: 'too young' })"],
  ],
  'asks a member for no other proof': [
    [
      "app.get('/verify', (request, response) => {\n",
      `app.get('/verify', (request, response) => {
  if (/member=1/.test(request.headers.cookie)) return response.send('Welcome back.')\n`,
    ],
    ["response.send('Welcome, you are 18.')", "response.cookie('member', '1').send('Welcome, you are 18.')"],
  ],
  'says each no with the status 200': [
    ['response.status(403)', 'response'],
    ['response.status(400)', 'response'],
  ],
  'shows other numbers on each page': [
    ["send('Welcome, you are 18.')", "send('Welcome, you are 18. Number ' + randomUUID() + ' at ' + Math.random())"],
    [
      "send('This answer cannot be trusted.')",
      "send('This answer cannot be trusted. Number ' + randomUUID() + ' at ' + Math.random())",
    ],
  ],
  'says yes by a parameter of its first page': [
    ["response.send('Welcome, you are 18.')", "response.redirect('/?age=18')"],
    [UNTRUSTED, "  response.redirect('/')\n"],
    [NO_AGE, "response.redirect('/')"],
    [TOO_YOUNG, "response.redirect('/')"],
  ],
}

/** It goes to its first page after Create, however that ended. */
export const SILENT_AFTER_CREATE: Changes = [
  [SAVED, "  response.redirect('/')\n"],
  ["response.status(403).send('No age key was saved.')", "response.redirect('/')"],
  [UNTRUSTED, "  response.redirect('/')\n"],
]

/** The checks that are taken out of each of them. */
export const WITHOUT_CHECKS: Changes = [
  ['    payload.nonce === nonce &&\n', ''],
  ["  asked(request.query, { request, response, cookie: 'age_create' })\n", ''],
]
