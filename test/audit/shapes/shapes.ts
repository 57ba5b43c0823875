import { randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import express from 'express'
import { jwtVerify, SignJWT } from 'jose'
import type { FragmentPost, PageRequest } from '../../../src/audit/agent/browser.ts'
import { messageOf } from '../../../src/sandbox/files/caught.ts'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import {
  createRelyingParty,
  type Hole,
  Refused,
  type RelyingParty,
  type RequestOptions,
} from './relying-party.ts'
import {
  cookiesOf,
  formOf,
  type Handler,
  html,
  json,
  redirect,
  serve,
  setCookie,
  site,
  type Visit,
} from './site.ts'

/** How an app of node:http differs from a plain one: in its callback and its pages. */
interface Differences extends Readonly<Record<`${'GET' | 'POST'} /${string}`, Handler>> {
  readonly letsIn?: Handler
  readonly turnsAway?: Handler
  fails?(error: unknown): Handler
  /** Remembers a user who is let in; in a server session when absent. */
  signsIn?(visit: Visit): unknown
  guard?(visit: Visit, path: string): boolean
}

/** An app of another shape than the example, sound or with one hole. */
export interface Shape {
  readonly name: string
  readonly hole: Hole
  readonly options?: RequestOptions
  /** The path where a user begins; `/verify`, which redirects to the service, when absent. */
  readonly start?: string
  readonly before?: readonly PageRequest[]
  /** How its script passes the answer on. */
  readonly fragment?: FragmentPost
  app(rp: RelyingParty): RequestListener | Differences
}

export type RunningShape = Awaited<ReturnType<typeof startShape>>

export async function startShape(
  shape: Shape,
  sandbox: Pick<Sandbox, 'baseUrl' | 'url'>,
  hole?: Hole,
) {
  const rp = createRelyingParty(sandbox, hole, shape.options)
  const app = shape.app(rp)
  const { url, stop } = await serve(typeof app === 'function' ? app : plain(rp, app))
  return { url, page: url + (shape.start ?? '/verify'), admissions: rp.admissions, stop }
}

/**
 * Milliseconds for the second of a job, for the seconds after which another job looks, and for the
 * minute of a rate limit.
 */
const [JOB, LATER, MINUTE] = [500, 2500, 2000]

const CONFIRM = '<p>Wine is for adults.</p><a href="/verify">Confirm your age</a>'
const MEMBERS = '<h1>Cellar</h1><p>Pick your bottles.</p><a href="/sign-out">Leave</a>'

const anyOf = <Value>(values: readonly [Value, ...Value[]]): Value =>
  values[Math.floor(Math.random() * values.length)] ?? values[0]
/** Escapes a text for HTML. */
const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const shows =
  (text: string, status = 200): Handler =>
  (v) =>
    html(v, text, status)
const goesTo =
  (path: string): Handler =>
  (v) =>
    redirect(v, path)

/**
 * An app with a start page, a way to the service, a callback that lets in, refuses or fails, and a
 * page for members.
 */
function plain(rp: RelyingParty, differences: Differences): RequestListener {
  const {
    guard,
    letsIn = goesTo('/members'),
    turnsAway = shows('Sorry, you have to be 18.', 403),
    fails = () => shows('We could not verify your age.', 400),
    signsIn = rp.signIn,
    ...pages
  } = differences
  const isEarly = rp.has('session before the check')
  async function callback(v: Visit) {
    try {
      if (isEarly) await signsIn(v)
      const answer = await rp.check(v, v.query)
      if (answer.kind === 'create_requested')
        return redirect(v, await rp.beginCreate(v, '/created'))
      if (answer.kind === 'token' && answer.code !== undefined) {
        await rp.upgrade(v, answer.code)
        return html(v, 'Your age key says more now. <a href="/verify">Try again</a>')
      }
      const isIn = answer.kind === 'token' && rp.opens(answer.answers)
      if (isIn && !isEarly) await signsIn(v)
      return await (isIn ? letsIn : turnsAway)(v)
    } catch (error) {
      return fails(error)(v)
    }
  }
  const usual: Readonly<Record<string, Handler>> = {
    'GET /': shows(CONFIRM),
    'GET /verify': (v) => redirect(v, rp.begin(v)),
    'GET /callback': callback,
    'GET /members': (v) =>
      rp.isMember(v) ? html(v, MEMBERS) : html(v, 'Members only. <a href="/">Home</a>', 403),
    'GET /sign-out'(v) {
      rp.signOut(v)
      redirect(v, '/')
    },
  }
  return site({ ...usual, ...pages }, guard)
}

const shapes: Shape[] = []
const add = (name: string, facts: Omit<Shape, 'name' | 'app'>, app: Shape['app'] = () => ({})) =>
  void shapes.push({ name, ...facts, app })

add('message on the start page', { hole: 'signature' }, (rp) => {
  const notices = new Map<string, string>()
  const flash =
    (text: string): Handler =>
    (v) => {
      const id = randomUUID()
      notices.set(id, text)
      setCookie(v, 'flash', `${id}; HttpOnly`)
      redirect(v, '/')
    }
  return {
    letsIn: flash('opened: you are in'),
    turnsAway: flash('age: you are not 18 yet'),
    fails: (error) => flash(`token: ${messageOf(error)}`),
    'GET /members': shows('Nothing is here.', 404),
    'GET /'(v) {
      const id = cookiesOf(v)['flash'] ?? ''
      const notice = notices.get(id)
      notices.delete(id)
      setCookie(v, 'flash', '; Max-Age=0')
      const shelf = rp.isMember(v)
        ? 'in wine shop you are'
        : '<a href="/verify">Show that you are 18</a>'
      html(v, `${notice ? `<p>Wine shop ${escaped(notice)}</p>` : ''}<section>${shelf}</section>`)
    },
  }
})

const BY_FRAGMENT = { mode: 'fragment', callback: '/' } as const
const FETCHED = { post: '/api/age', as: 'form' } as const
add('single page with fetch', { hole: 'nonce', options: BY_FRAGMENT, fragment: FETCHED }, (rp) => ({
  'GET /': shows('<main>Loading</main>'),
  async 'POST /api/age'(v) {
    try {
      const isIn = await rp.admits(v, await formOf(v))
      if (isIn) rp.signIn(v)
      json(v, { allowed: isIn })
    } catch (error) {
      json(v, { allowed: false, message: messageOf(error) }, 422)
    }
  },
  'GET /api/me': (v) => json(v, { member: rp.isMember(v) }),
}))

add('error text with status 200', { hole: 'exp' }, () => ({
  letsIn: shows('Thank you, your age is confirmed. <a href="/members">To the cellar</a>'),
  turnsAway: shows('Thank you. Unfortunately your age does not allow us to sell to you.'),
  fails: (error) =>
    shows(`Thank you for waiting. Something went wrong (${escaped(messageOf(error))}).`),
}))

add('redirect to /denied', { hole: 'error' }, () => ({
  turnsAway: goesTo('/denied?reason=age'),
  fails: () => goesTo('/denied?reason=error'),
  'GET /denied': (v) => html(v, `Access denied (${v.query['reason']}).`),
}))

add('session by a later job', { hole: 'session by a later job' }, (rp) => ({
  'GET /callback'(v) {
    const checked = rp.admits(v, v.query).catch(() => false)
    const letIn = rp.openSession(v)
    setTimeout(async () => {
      if (await checked) letIn()
      else if (rp.has('session by a later job')) setTimeout(letIn, LATER).unref()
    }, JOB).unref()
    // The slot is taken before the first await of the check, so that its cookie is sent.
    html(v, 'Checking your age')
  },
}))

add('A/B pages', { hole: 'aud' }, () => ({
  letsIn: (v) =>
    html(
      v,
      anyOf(['All set! Browse the cellar.', 'Great, you may order now.', 'Done. Happy shopping!']),
    ),
  turnsAway: (v) =>
    html(v, anyOf(['Too young, sorry.', 'Please come back later.', 'We only serve adults.'])),
  fails: () => (v) =>
    html(v, anyOf(['Oops!', 'That was unexpected. Try again?', 'Our cork broke. Once more?'])),
  'GET /': (v) =>
    html(v, anyOf([CONFIRM, CONFIRM.replace('Wine', 'Our wine'), CONFIRM.replace('p>', 'h2>')])),
}))

const LANGUAGES: Readonly<Record<string, string>> = {
  de: 'Willkommen, Ihr Alter ist bestätigt.|Sie sind leider noch nicht volljährig.|Die Prüfung ist fehlgeschlagen.',
  fr: 'Bienvenue, votre âge est confirmé.|Vous êtes trop jeune.|La vérification a échoué.',
  ja: '年齢が確認されました。ようこそ。|十八歳未満の方はご利用いただけません。|確認に失敗しました。',
}
const says =
  (index: number): Handler =>
  (v) => {
    const wanted = v.request.headers['accept-language']?.slice(0, 2) ?? ''
    const language = wanted in LANGUAGES ? wanted : anyOf(['de', 'fr', 'ja'])
    html(v, `<p lang="${language}">${LANGUAGES[language]?.split('|')[index]}</p>`)
  }
add('localized messages', { hole: 'truthy answers' }, () => ({
  letsIn: says(0),
  turnsAway: says(1),
  fails: () => says(2),
}))

const untrusted = shows('This answer cannot be trusted.', 403)
add('session opened before the check', { hole: 'session before the check' }, () => ({
  turnsAway: untrusted,
  fails: () => untrusted,
}))

add('idempotent callback', { hole: 'state' }, (rp) => {
  const letsIn = shows('Welcome, the cellar is open.')
  return {
    letsIn,
    guard(v, path) {
      const isDone = path === '/callback' && rp.isMember(v)
      if (isDone) letsIn(v)
      return isDone
    },
  }
})

add('state in one map for all browsers', {
  hole: 'state of any browser',
  options: { slots: 'map' },
})

add('slot that is not cleared', { hole: 'slot is kept' })

add('key of x5c', { hole: 'key of x5c' }, (rp) => ({
  letsIn: (v) => json(v, { age: 'verified' }),
  turnsAway: (v) => json(v, { age: 'too young' }, 403),
  fails: () => (v) => json(v, { age: 'unknown' }, 400),
  'GET /api/cellar': (v) => json(v, {}, rp.isMember(v) ? 200 : 401),
}))

add('leeway of 55 minutes', { hole: '55 minutes of leeway' })

add(
  'POST to begin',
  { start: '/', hole: 'lower threshold', options: { thresholds: [16, 18] } },
  (rp) => ({
    'GET /'(v) {
      const csrf = randomUUID()
      setCookie(v, 'csrf', `${csrf}; HttpOnly; SameSite=Strict`)
      const form = `<form method="post" action="/begin"><input type="hidden" name="csrf" value="${csrf}">`
      html(v, `${form}<button>Continue with your age key</button></form>`)
    },
    async 'POST /begin'(v) {
      const { csrf } = await formOf(v)
      if (csrf === undefined || csrf !== cookiesOf(v)['csrf']) return html(v, 'Forbidden', 403)
      redirect(v, rp.begin(v))
    },
  }),
)

add('two buttons on the start page', { start: '/', hole: 'signature' }, (rp) => ({
  'GET /': shows(`<form method="post" action="/cookies"><button>Accept all cookies</button></form>
<form method="post" action="/newsletter"><input name="email"><button>Subscribe</button></form>
<form method="post" action="/alter"><button>Ich bin volljährig</button></form>`),
  'POST /cookies': goesTo('/'),
  'POST /newsletter': shows('Thank you for subscribing.'),
  'POST /alter': (v) => redirect(v, rp.begin(v)),
}))

add('edge middleware', { hole: 'aud of others by azp' }, (rp) => ({
  turnsAway: goesTo('/?age=low'),
  fails: () => goesTo('/?age=unknown'),
  'GET /members': shows(MEMBERS),
  // Runs before each page: a user without a session gets the start page at the requested URL.
  guard(v, path) {
    const isGuarded = path.startsWith('/members') && !rp.isMember(v)
    if (isGuarded) html(v, CONFIRM)
    return isGuarded
  },
}))

add('JWT cookie session', { hole: 'truthy answers' }, (rp) => {
  const secret = randomBytes(32)
  return {
    async signsIn(v) {
      const jwt = new SignJWT({ over18: true })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
      setCookie(v, 'session', `${await jwt.sign(secret)}; HttpOnly; SameSite=Lax`)
      rp.log(rp.whoOf(v))
    },
    turnsAway: shows('You are too young.', 401),
    fails: () => shows('Please try again.', 401),
    async 'GET /members'(v) {
      const session = await jwtVerify(cookiesOf(v)['session'] ?? '', secret).catch(() => undefined)
      return session ? html(v, MEMBERS) : redirect(v, '/')
    },
  }
})

add('key set cached for ever', { hole: 'signature of unknown keys', options: { cachesKeys: true } })

add('fail-open on exceptions', { hole: 'session on failure' }, (rp) => ({
  fails: (error) => (v) => {
    if (error instanceof Refused || !rp.has('session on failure'))
      return html(v, 'Not verified.', 403)
    // "The library has a problem, that is not the customer's fault."
    rp.signIn(v)
    redirect(v, '/members')
  },
}))

add('rate limit after 30 visits', { hole: 'nonce' }, () => {
  let [count, since] = [0, 0]
  return {
    guard(v, path) {
      if (Date.now() - since > MINUTE) [count, since] = [0, Date.now()]
      const isTooMuch = path === '/verify' && ++count > 30
      if (isTooMuch) {
        v.response.setHeader('Retry-After', String(MINUTE / 1000))
        html(v, 'Too many requests, try again in a minute.', 429)
      }
      return isTooMuch
    },
  }
})

const LOGIN = { url: '/login', method: 'POST', form: { email: 'user-{n}@example.test' } } as const
add('account locked after 3 failures', { hole: 'aud', before: [LOGIN] }, (rp) => {
  const failures = new Map<string, number>()
  const failed: Handler = (v) => {
    const { account = '' } = cookiesOf(v)
    failures.set(account, (failures.get(account) ?? 0) + 1)
    html(v, 'We could not confirm your age.', 403)
  }
  return {
    turnsAway: failed,
    fails: () => failed,
    'GET /login': shows(
      '<form method="post" action="/login"><input name="email"><button>Log in</button></form>',
    ),
    async 'POST /login'(v) {
      const { email } = await formOf(v)
      setCookie(v, 'account', `${encodeURIComponent(String(email))}; HttpOnly; SameSite=Lax`)
      redirect(v, '/')
    },
    'GET /': (v) =>
      cookiesOf(v)['account'] === undefined ? redirect(v, '/login') : html(v, CONFIRM),
    'GET /verify'(v) {
      const { account } = cookiesOf(v)
      if (account === undefined) return redirect(v, '/login')
      if ((failures.get(account) ?? 0) >= 3) return html(v, 'Your account is locked. Call us.', 423)
      redirect(v, rp.begin(v))
    },
  }
})

add(
  'two thresholds with two pages',
  { hole: 'any threshold', options: { thresholds: [16, 18] } },
  (rp) => {
    const teens = new Set<string>()
    const page = (v: Visit, text: string, isOpen: boolean) =>
      html(
        v,
        isOpen ? `<h1>${text}</h1>` : `Not yet: ${text}. <a href="/verify">Show your age</a>`,
        isOpen ? 200 : 403,
      )
    return {
      async 'GET /callback'(v) {
        const answer = await rp.check(v, v.query).catch(() => undefined)
        if (answer?.kind !== 'token') return html(v, 'That is no proof of your age.', 400)
        const id = randomUUID()
        if (answer.answers['16']) teens.add(id)
        setCookie(v, 'teen', `${id}; HttpOnly; SameSite=Lax`)
        if (!rp.opens(answer.answers, 18))
          return redirect(v, answer.answers['16'] ? '/sixteen' : '/')
        rp.signIn(v)
        redirect(v, '/eighteen')
      },
      'GET /sixteen': (v) =>
        page(v, 'Cider tasting from 16', teens.has(cookiesOf(v)['teen'] ?? '')),
      'GET /eighteen': (v) => page(v, 'Spirits from 18', rp.isMember(v)),
    }
  },
)

const BY_FORM = { hole: 'last of repeated parameters', options: { mode: 'form_post' } } as const
add('form_post with a nested body parser', BY_FORM, (rp) => {
  const app = express()
  const visitOf = (request: express.Request, response: express.Response) => ({
    request,
    response,
    query: {},
  })
  app.get('/', (_request, response) => response.send(CONFIRM))
  app.get('/verify', (request, response) => response.redirect(rp.begin(visitOf(request, response))))
  app.post('/callback', express.urlencoded({ extended: true }), async (request, response) => {
    const v = visitOf(request, response)
    if (!(await rp.admits(v, request.body)))
      return response.status(403).send('You are too young for this shop.')
    rp.signIn(v)
    return response.redirect(303, '/members')
  })
  app.get('/members', (request, response) =>
    rp.isMember(visitOf(request, response))
      ? response.send(MEMBERS)
      : response.status(401).send('Sign in first'),
  )
  app.use(((_error, _request, response, _next) => {
    response.status(400).json({ message: 'Bad request' })
  }) satisfies express.ErrorRequestHandler)
  return app
})

add('sign-out on failure', { hole: 'exp' }, (rp) => ({
  fails: () => (v) => {
    rp.signOut(v)
    html(v, 'For your safety you were signed out.', 401)
  },
}))

const repeats =
  (text: string): Handler =>
  (v) =>
    html(
      v,
      `<h1>Answer of the age service</h1><pre>${escaped(JSON.stringify(v.query, null, 1))}</pre><p>${text}</p>`,
    )
add('page that repeats the answer', { hole: 'req_claims_hash' }, () => ({
  letsIn: repeats('ok'),
  turnsAway: repeats('no'),
  fails: () => repeats('invalid'),
}))

add(
  'Create after the wish of a user',
  { hole: 'error of Create', options: { canCreate: true } },
  (rp) => ({
    'GET /created'(v) {
      try {
        const isSaved = rp.endCreate(v, v.query)
        html(
          v,
          isSaved ? 'Your age key is saved. <a href="/verify">Use it</a>' : 'No age key was saved.',
        )
      } catch {
        html(v, 'Nothing was asked.', 400)
      }
    },
  }),
)

add('Upgrade of a key that says too little', {
  hole: 'failed upgrade',
  options: { upgrades: true },
})

add('no session at all', { hole: 'signature' }, (rp) => ({
  signsIn: (v) => rp.log(rp.whoOf(v)),
  letsIn: shows('<h1>Voucher</h1><p>Show this page at the counter.</p>'),
  turnsAway: shows('You are not 18.', 400),
  fails: (error) => shows(`Invalid answer: ${escaped(messageOf(error))}`, 400),
}))

export const SHAPES: readonly Shape[] = shapes
