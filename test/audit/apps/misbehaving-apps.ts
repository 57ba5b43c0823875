import type { Changes } from '../../support/express-example.ts'

const APP = 'const app = express()\n'
const CALLBACK = "app.post('/callback', express.urlencoded(), async (request, response) => {\n"
const WELCOME = "  response.send('Welcome, you are 18.')\n"
const UNTRUSTED = "  response.status(400).send('This answer cannot be trusted.')\n"

/** What it does before anything else with each request. */
const first = (code: string): Changes => [[APP, `${APP}app.use((request, response, next) => { ${code} })\n`]]

/** What it does instead of the page that refuses an answer. */
const insteadOfRefusal = (code: string): Changes => [[UNTRUSTED, `  ${code}\n`]]

const WELCOMES = "response.cookie('member', '1').send('Welcome, you are 18.')"

/** The Express example, changed so that it misbehaves as a whole. */
export const MISBEHAVING = {
  refusesEverything: [[WELCOME, "  response.status(403).send('Not you.')\n"]],
  /** Each answer makes its browser a member, whom it knows at /me. */
  acceptsEverything: [
    [
      CALLBACK,
      `app.get('/me', (request, response) => response.sendStatus(/member=1/.test(request.headers.cookie) ? 200 : 401))
app.all('/callback', (request, response) => ${WELCOMES})
${CALLBACK}`,
    ],
  ],
  answers500: insteadOfRefusal("response.status(500).send('Something went wrong.')"),
  closesConnections: insteadOfRefusal('request.socket.destroy()'),
  redirectsForEver: insteadOfRefusal("response.redirect(307, '/callback?round=' + Math.random())"),
  sends50MB: insteadOfRefusal(
    "response.writeHead(400, { 'Content-Type': 'text/html' }).end(app.bytes ??= Buffer.alloc(50_000_000, 'untrusted '))",
  ),
  neverRefuses: insteadOfRefusal('setTimeout(() => response.sendStatus(400), 30_000).unref()'),
  redirectsTheBeginning: first("if (request.path === '/verify') response.redirect('/verify'); else next()"),
  closesTheBeginning: first("if (request.path === '/verify') request.socket.destroy(); else next()"),
  sends50MBAtTheBeginning: first("if (request.path === '/verify') response.end(Buffer.alloc(50_000_000)); else next()"),
  /** 30 seconds before each page. */
  isSlow: first('setTimeout(next, 30_000).unref()'),
  /** After as many requests as an audit makes in its middle. */
  dies: first(
    'app.served = (app.served ?? 0) + 1; if (app.served > 100) { server.close(); server.closeAllConnections() } next()',
  ),
  /** After 20 answers that it refused it refuses every request. */
  limitsTheRate: [
    ...first("if (app.failures >= 20) response.status(429).send('Too many attempts.'); else next()"),
    ...insteadOfRefusal(`app.failures = (app.failures ?? 0) + 1\n${UNTRUSTED}`),
  ],
  /** After 20 answers that it refused it refuses every answer, and does not say why. */
  locksOut: [
    [CALLBACK, `${CALLBACK}  if (app.failures >= 20) return response.status(403).send('Not you.')\n`],
    ...insteadOfRefusal(`app.failures = (app.failures ?? 0) + 1\n${UNTRUSTED}`),
  ],
  /** By the address of the browser, not by a cookie. */
  remembersTheUser: [
    [CALLBACK, `const members = new Set()\n${CALLBACK}  if (members.has(request.ip)) return ${WELCOMES}\n`],
    [WELCOME, `  members.add(request.ip)\n${WELCOME}`],
  ],
} as const satisfies Record<string, Changes>

/** An app that answers by chance: the same chances for the same number. */
export const byChance = (seed: number): Changes => [
  [
    CALLBACK,
    `let chance = ${seed}
const isLucky = () => {
  chance = (chance * 1_103_515_245 + 12_345) % 2_147_483_648
  return chance % 1000 < 500
}
app.post('/callback', (request, response) => {
  if (isLucky()) return ${WELCOMES}
  response.status(400).send('This answer cannot be trusted.')
})
${CALLBACK}`,
  ],
]
