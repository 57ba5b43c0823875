import { expect, onTestFinished, test, vi } from 'vitest'
import type { AuthorizationRequest } from '../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'
import { shareSandbox } from '../support/sandbox.ts'
import { visit } from '../support/visit.ts'
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

/** Goes through an app in a new browser, and returns the log of the app. */
async function opened(app: RunningShape, shape: Shape, way: Way): Promise<string[]> {
  const count = app.admissions.length
  const { persona = 'adult-passport', use = 'verified', create = 'created', brings } = way
  if (way.token) await sandbox.next({ flow: 'token', outcome: way.token })
  if (way.advanced) await sandbox.clock.set(new Date(Date.now() + way.advanced * 1000))
  const newBrowser = () => createHttpAgent().newBrowser()
  const options = {
    sandboxUrl: sandbox.baseUrl,
    fragment: shape.fragment,
    decide: async ({ endpoint }: AuthorizationRequest) => ({ persona, outcome: endpoint === 'E1' ? use : create }),
  }
  const browser = newBrowser()
  for (const request of shape.before ?? [])
    await visit({ ...request, url: app.url + request.url }, { ...options, browser, decide: undefined })
  const isHeld = brings !== undefined || way.forge !== undefined
  const { answer } = await visit(`${app.url}/verify`, { ...options, browser, holds: isHeld ? 'E1' : undefined })
  if (isHeld && answer) {
    const url = new URL(answer.url)
    const forged = await way.forge?.(url.searchParams.get('id_token') ?? '')
    if (forged) url.searchParams.set('id_token', forged)
    const brought = { ...answer, url: url.href }
    if (brings === 'twice') await visit(brought, { ...options, browser })
    await visit(brought, { ...options, browser: brings === 'in another browser' ? newBrowser() : browser })
  }
  const status = async () => (await visit(`${app.url}/status`, { ...options, browser })).page?.text
  await vi.waitFor(async () => expect(await status()).not.toContain('checking'), 5_000)
  await sandbox.clock.reset()
  return app.admissions.slice(count).map(({ what }) => what)
}
