import { interleave, startServer } from './measure.js'
import { exchange, obtainCodes, push, send, sendAll, upgrade, use } from './requests.js'

const CALLS = 400
const ROUNDS = 9
/** Rounds until V8 has compiled what runs often, in a small server as in a large one. */
const WARM_UP = 15

/** Calls per CPU second of the server. */
const rate = async (server, act, calls = CALLS) => calls / (await server.cpuSeconds(act))

/** Milliseconds of all Use calls but the slowest of a hundred, 16 at a time. */
const p99 = async ({ url }) => {
  const took = []
  await sendAll(CALLS, 302, async () => {
    const begin = performance.now()
    const answer = await use(url)
    took.push(performance.now() - begin)
    return answer
  })
  return took.sort((one, other) => one - other)[Math.floor(CALLS * 0.99)]
}

const compare = async (what, wanted, [name, measure], [peer, measurePeer]) => {
  const rates = await interleave(
    ROUNDS,
    { [name]: measure, [peer]: measurePeer },
    { warmUp: WARM_UP },
  )
  return {
    what,
    ours: rates[name],
    theirs: rates[peer],
    unit: 'per CPU second',
    ratio: rates[name] / rates[peer],
    wanted,
  }
}

/** Calls of the endpoints against the least that Express could do for the same answer. */
export async function againstExpress() {
  const [sandbox, signing, plain] = await Promise.all(
    ['sandbox', 'signing', 'json'].map(startServer),
  )
  const uses = ({ url }) => sendAll(CALLS, 302, () => use(url))
  const pushes = ({ url }) => sendAll(CALLS, 201, () => push(url))
  const exchanges = ({ url }, codes) => sendAll(CALLS, 200, (index) => exchange(url, codes[index]))
  const upgrades = ({ url }, token) => sendAll(CALLS, 200, () => upgrade(url, token))
  const [code] = await obtainCodes(sandbox.url, 1)
  const token = JSON.parse((await exchange(sandbox.url, code)).text).access_token
  const rows = [
    await compare(
      'Use, scripted, against a route that signs the same token',
      '>= 0.95',
      ['sandbox', () => rate(sandbox, () => uses(sandbox))],
      ['Express', () => rate(signing, () => uses(signing))],
    ),
    {
      ...(await compare(
        'Use, p99 of 16 at a time',
        '<= 1.3',
        ['sandbox', () => p99(sandbox)],
        ['Express', () => p99(signing)],
      )),
      unit: 'ms',
    },
    await compare(
      'PAR against a JSON route with zod',
      '>= 0.75',
      ['sandbox', () => rate(sandbox, () => pushes(sandbox))],
      ['Express', () => rate(plain, () => pushes(plain))],
    ),
    await compare(
      'Token exchange against a JSON route with zod',
      '>= 0.75',
      [
        'sandbox',
        async () => {
          const codes = await obtainCodes(sandbox.url, CALLS)
          return rate(sandbox, () => exchanges(sandbox, codes))
        },
      ],
      ['Express', () => rate(plain, () => exchanges(plain, Array(CALLS).fill('code')))],
    ),
    await compare(
      'Upgrade against a JSON route with zod',
      '>= 0.6',
      ['sandbox', () => rate(sandbox, () => upgrades(sandbox, token))],
      ['Express', () => rate(plain, () => upgrades(plain, 'token'))],
    ),
  ]
  for (const server of [sandbox, signing, plain]) server.stop()
  return rows
}

/** Use flows of a sandbox that holds a lot against those of one that holds nothing. */
export async function againstEmpty() {
  const rows = []
  for (const [what, prepare, target] of [
    ['Use with 200 tenants against one', touchTenants, (index) => `/t/tenant-${index % 200}`],
    ['Use with 1,000 more personas against none', addPersonas, () => ''],
    ['Use with a full journal against an empty one', fillJournal, () => ''],
  ]) {
    const [full, empty] = await Promise.all([startServer('sandbox'), startServer('sandbox')])
    await prepare(full.url)
    const uses = (server, path) =>
      rate(server, () => sendAll(CALLS, 302, (index) => use(server.url + path(index))))
    const reset = () => send(`${empty.url}/_sandbox/reset`, { method: 'POST' })
    rows.push(
      await compare(
        what,
        '>= 0.9',
        ['full', () => uses(full, target)],
        [
          'empty',
          async () => {
            await reset()
            return uses(empty, () => '')
          },
        ],
      ),
    )
    full.stop()
    empty.stop()
  }
  return rows
}

const touchTenants = (url) => sendAll(2000, 302, (index) => use(`${url}/t/tenant-${index % 200}`))

const addPersonas = (url) =>
  sendAll(1000, 201, (index) =>
    send(`${url}/_sandbox/personas/extra-${index}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: `Extra ${index}`, purpose: 'One of a thousand.' }),
    }),
  )

const fillJournal = (url) => sendAll(5000, 302, () => use(url))
