import { expect, onTestFinished, test, vi } from 'vitest'
import { formThatSendsItself } from '../support/forms.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { HOLES, type Way } from './shapes/holes.ts'
import { type RunningShape, SHAPES, type Shape, startShape } from './shapes/shapes.ts'

const sandbox = await shareSandbox()

test('There are thirty shapes of apps with names of their own', () => {
  expect(new Set(SHAPES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(30)
})

test.each(SHAPES.map((shape) => [shape.name, shape] as const))(
  'An app of the shape "%s" lets adults in alone, and by its hole somebody else',
  async (_name, shape) => {
    const sound = await startShape(shape, sandbox)
    onTestFinished(sound.stop)
    expect(await opened(sound, shape, {})).toEqual(['in'])
    expect(await opened(sound, shape, { persona: 'child-12' })).not.toContain('in')
    expect(await opened(sound, shape, { use: 'access_denied' })).toEqual([])
    const wrong: Way = HOLES[shape.hole]
    const right = wrong.brings === 'twice' ? ['in'] : wrong.create ? ['create begun'] : []
    expect(await opened(sound, shape, wrong)).toEqual(right)

    const holed = await startShape(shape, sandbox, shape.hole)
    onTestFinished(holed.stop)
    await opened(holed, shape, wrong)
    await vi.waitFor(() => expect(holed.admissions.length).toBeGreaterThan(right.length), 5_000)
  },
  15_000,
)

/** Goes through an app in a new browser: what it logs for that. */
async function opened(app: RunningShape, shape: Shape, way: Way): Promise<string[]> {
  const count = app.admissions.length
  const { persona = 'adult-passport' } = way
  if (way.token) await sandbox.next({ flow: 'token', outcome: way.token })
  if (way.advanced) await sandbox.clock.set(new Date(Date.now() + way.advanced * 1000))
  const browser = createBrowser(app)
  for (const { url, form = {} } of shape.before ?? [])
    await browser.send(app.url + url.replace('{n}', String(count)), new URLSearchParams(form))
  let answer = await browser.send(`${app.url}/verify`)
  for (let to = answer.headers.get('location'); to !== null; to = answer.headers.get('location')) {
    const url = new URL(to, app.url)
    const isCallback = url.searchParams.has('state') && url.origin === app.url
    const idToken = url.searchParams.get('id_token')
    if (isCallback && idToken !== null && way.forge) url.searchParams.set('id_token', await way.forge(idToken))
    const isCreate = url.pathname.endsWith('/create')
    const outcome = isCreate ? way.create : way.use
    if (url.hash !== '') {
      answer = await browser.send(app.url + shape.fragment?.post, new URLSearchParams(url.hash.slice(1)))
    } else if (url.origin === new URL(sandbox.baseUrl).origin) {
      const headers = {
        'X-Sandbox-Persona': persona,
        'X-Sandbox-Outcome': outcome ?? (isCreate ? 'created' : 'verified'),
      }
      answer = await fetch(url, { redirect: 'manual', headers })
      const form = answer.status === 200 ? formThatSendsItself(await answer.text()) : undefined
      if (form) answer = await browser.send(form.action, form.fields)
    } else {
      if (isCallback && way.brings === 'twice') await browser.send(url.href)
      const bringer = isCallback && way.brings === 'in another browser' ? createBrowser(app) : browser
      answer = await bringer.send(url.href)
    }
  }
  if ((await answer.text()).includes('Checking'))
    await vi.waitFor(
      async () => expect(await (await browser.send(`${app.url}/status`)).text()).not.toContain('checking'),
      5_000,
    )
  await sandbox.clock.reset()
  return app.admissions.slice(count).map(({ what }) => what)
}

/** Keeps cookies, and follows no redirect. */
function createBrowser(app: RunningShape) {
  const jar = new Map<string, string>()
  return {
    async send(url: string, body?: URLSearchParams): Promise<Response> {
      const headers = { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
      const response = await fetch(new URL(url, app.url), {
        redirect: 'manual',
        headers,
        ...(body && { method: 'POST', body }),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (/Max-Age=0|Expires=Thu, 01 Jan 1970/.test(cookie)) jar.delete(name)
        else jar.set(name, value)
      }
      return response
    },
  }
}
