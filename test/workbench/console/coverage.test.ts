import { beforeEach, expect, test } from 'vitest'
import { textOf } from '../../support/markup.ts'
import { claims, useRequest } from '../../support/requests.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const PAGE = '/_sandbox/console/coverage'
const sandbox = await shareSandbox()
beforeEach(() => sandbox.coverage.clear())

async function drive(persona: string, tenant = '') {
  const query = useRequest({ claims: claims({ age_thresholds: [18] }), sandbox_persona: persona })
  await sandbox.request.get(`${tenant}/v1/oidc/use`).query(query)
}

const pageOf = async (tenant = '') => (await sandbox.request.get(tenant + PAGE)).text
const shown = async (tenant?: string) => textOf(await pageOf(tenant))

test('The page of coverage says that nothing was delivered yet, and how to keep the counters of a run', async () => {
  expect(await shown()).toContain('Nothing was delivered to an app since the sandbox started')
  expect(await shown()).toContain('AGEKEY_SANDBOX_COVERAGE_FILE=coverage.json npx agekey-sandbox')
})

test('The page of coverage shows each dimension with its count, and the gaps before what was seen', async () => {
  await drive('adult-passport')
  const text = await shown()
  expect(text).toMatch(/answers 1 of 2 50 % 50 % Each requested threshold/)
  expect(text).toMatch(/endings 1 of \d+ \d+ %/)
  expect(text).toMatch(
    /answers 1 gap \{"age_thresholds":\[18\]\} age_thresholds 18: false run a Use flow as \S+: it answers 18: false/,
  )
  expect(text).toMatch(/1 side seen .*age_thresholds 18: true/)
  expect(text).toMatch(/create ?: no valid Create request came \(E3\); its rows are no gaps/)
})

test('The page of coverage leads from a gap to where it can be tried, and each of these pages is there', async () => {
  await drive('adult-passport')
  const links = [
    ...(await pageOf()).matchAll(/<a class="target" href="([^"]+)" aria-label="([^"]+)"/g),
  ].map(([, href = '', label = '']) => ({ href: href.replaceAll('&amp;', '&'), label }))
  const to = (what: string) =>
    links.find(({ label }) => label.endsWith(`: ${what}`))?.href ?? expect.fail(what)
  const { pathname, searchParams } = new URL(to('age_thresholds 18: false'), sandbox.baseUrl)
  const asked = { age_thresholds: [18] }
  expect([pathname, searchParams.get('claims')]).toEqual([
    '/_sandbox/console/playground',
    JSON.stringify(asked),
  ])
  const answer = await sandbox.evaluate({
    claims: asked,
    persona: searchParams.get('persona') ?? '',
  })
  expect(answer.age_thresholds).toEqual({ 18: false })
  expect(new URL(to('none_met'), sandbox.baseUrl).searchParams.get('claims')).toBe(
    JSON.stringify(asked),
  )
  expect(to('use/id_token.expired')).toBe('/_sandbox/console/outcomes/use/id_token.expired')
  const pages = [...new Set(links.map(({ href }) => href.split('#')[0] ?? ''))]
  for (const page of pages) await sandbox.request.get(page).expect(200)
})

test('The page of coverage is about all tenants at the base URL, and about one of them below its address', async () => {
  await drive('teen-16', '/t/qa')
  expect(await shown()).toMatch(/All tenants are added up.*answers 1 of 2/)
  expect(await shown('/t/qa')).toMatch(/This tenant alone.* answers 1 of 2/)
  expect(await shown('/t/other')).toContain('Nothing was delivered')
})

test('The page of coverage empties the counters by its form, and only by that value of it', async () => {
  await drive('teen-16')
  const clear = (value: string) =>
    sandbox.request.post(PAGE).type('form').send({ clear: value }).expect(303)
  await clear('yes')
  expect(await shown()).toMatch(/answers 1 of 2/)
  expect((await clear('true')).headers.location).toBe(PAGE)
  expect(await shown()).toContain('Nothing was delivered')
})
