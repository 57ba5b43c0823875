import { describe, expect, test } from 'vitest'
import { textOf } from '../../support/markup.ts'
import { claims, useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const PAGE = '/_sandbox/console/coverage'

/** Drives a Use flow that asks for 18, and says which test does. */
async function visit(sandbox: TestSandbox, test: string, changes: Record<string, string>, tenant = '') {
  await sandbox.coverage.name(test)
  const query = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }), ...changes }))
  await fetch(`${sandbox.url}${tenant}/v1/oidc/use?${query}`, { redirect: 'manual' })
}

const pageOf = async ({ url }: TestSandbox, tenant = '') => (await fetch(`${url}${tenant}${PAGE}`)).text()
const linksOf = (page: string) =>
  [...page.matchAll(/<a class="target" href="([^"]+)" aria-label="([^"]+)"/g)].map(([, href = '', label = '']) => ({
    href: href.replaceAll('&amp;', '&'),
    label,
  }))

describe('the page of coverage', () => {
  test('says that nothing was delivered yet, and how to keep the counters of a run', async () => {
    const text = textOf(await pageOf(await startSandbox()))
    expect(text).toContain('Nothing was delivered to an app since the sandbox started')
    expect(text).toContain('npx agekey-sandbox --coverage-file coverage.json')
  })

  test('shows each dimension with its count, and the gaps before what was seen by which tests', async () => {
    const sandbox = await startSandbox()
    await visit(sandbox, 'a shop > lets an adult in', { sandbox_persona: 'adult-passport' })
    const text = textOf(await pageOf(sandbox))
    expect(text).toMatch(/answers 1 of 2 50 % 50 % Each requested threshold/)
    expect(text).toMatch(/filters nothing to see/)
    expect(text).toMatch(
      /answers 1 gap \{"age_thresholds":\[18\]\} age_thresholds 18: false run a Use flow as \S+: it answers 18: false/,
    )
    expect(text).toMatch(/1 side seen, and by which tests .*age_thresholds 18: true .* once a shop > lets an adult in/)
    expect(text).toMatch(/create ?: no Create request was pushed \(E2\); nothing of it is a gap/)
  })

  test('leads from a gap to where it can be tried, and each of these pages is there', async () => {
    const sandbox = await startSandbox()
    await visit(sandbox, 'x', { sandbox_persona: 'adult-passport' })
    const links = linksOf(await pageOf(sandbox))
    const to = (what: string) => links.find(({ label }) => label.endsWith(`: ${what}`))?.href ?? expect.fail(what)
    const playground = new URL(to('age_thresholds 18: false'), sandbox.url)
    expect(playground.pathname).toBe('/_sandbox/console/playground')
    expect(playground.searchParams.get('claims')).toBe('{"age_thresholds":[18]}')
    const { age_thresholds: answers } = await sandbox.evaluate({
      claims: { age_thresholds: [18] },
      persona: playground.searchParams.get('persona') ?? '',
    })
    expect(answers).toEqual({ 18: false })
    expect(to('use/id_token.expired')).toBe('/_sandbox/console/outcomes/use/id_token.expired')
    const pages = [...new Set(links.map(({ href }) => href.split('#')[0]))]
    const statuses = await Promise.all(pages.map(async (href) => (await fetch(`${sandbox.url}${href}`)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test('is about all tenants at the base URL, and about one of them below its address', async () => {
    const sandbox = await startSandbox()
    await visit(sandbox, 'x', { sandbox_persona: 'teen-16' }, '/t/qa')
    expect(textOf(await pageOf(sandbox))).toContain('All tenants are added up')
    expect(textOf(await pageOf(sandbox))).toMatch(/answers 1 of 2/)
    expect(textOf(await pageOf(sandbox, '/t/qa'))).toMatch(/This tenant alone.* answers 1 of 2/)
    expect(textOf(await pageOf(sandbox, '/t/other'))).toContain('Nothing was delivered')
  })

  test('empties the counters by its form, and only by that value of it', async () => {
    const sandbox = await startSandbox()
    await visit(sandbox, 'x', { sandbox_persona: 'teen-16' })
    const post = (clear: string) =>
      fetch(sandbox.url + PAGE, { method: 'POST', body: new URLSearchParams({ clear }), redirect: 'manual' })
    expect((await post('yes')).status).toBe(303)
    expect(textOf(await pageOf(sandbox))).toMatch(/answers 1 of 2/)
    const answer = await post('true')
    expect({ status: answer.status, to: answer.headers.get('location') }).toEqual({ status: 303, to: PAGE })
    expect(textOf(await pageOf(sandbox))).toContain('Nothing was delivered')
  })
})
