import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { CONSOLE_PAGES } from '../../src/server/http/console-page.ts'
import { testPages } from './pages.ts'
import { useUrl } from './requests.ts'

const CONSOLE = '/_sandbox/console'
const CHANGED = {
  claims: '{"age_thresholds":[13,16,18,21],"verified_after":"2026-01-01"}',
  change: 'with documents only',
}

const FRAMED: Readonly<Record<string, string>> = {
  home: '/',
  demo: '/_sandbox/demo',
  ...Object.fromEntries(
    CONSOLE_PAGES.filter(({ path }) => path !== 'docs').map(({ path }) => [
      path,
      `${CONSOLE}/${path}`,
    ]),
  ),
  flow: `${CONSOLE}/flows/f1`,
  'refused-flow': `${CONSOLE}/flows/f2`,
  outcome: `${CONSOLE}/outcomes/use/id_token.signature_bit_flipped`,
  'playground-changed': `${CONSOLE}/playground?${new URLSearchParams(CHANGED)}`,
  'playground-refused': `${CONSOLE}/playground?${new URLSearchParams({ claims: '{"age_treshold":[18]}' })}`,
}

async function prepare(sandbox: Sandbox) {
  await sandbox.clock.advance(93_600)
  const spoiled = { sandbox_outcome: 'id_token.signature_bit_flipped', scope: 'openid svc.upgrade' }
  await fetch(useUrl(sandbox, { sandbox_persona: 'teen-16', ...spoiled }), { redirect: 'manual' })
  await fetch(useUrl(sandbox, { nonce: undefined }), { redirect: 'manual' })
  for (const persona of ['teen-16', 'child-12'])
    await sandbox.next({ persona, match: { state: 'never' } })
  await sandbox.scenarios.arm({
    name: 'Never',
    steps: [{ clock: { advance: 60 } }, { await: 'par' }],
  })
  await sandbox.tenant('qa').reset()
}

testPages(
  Object.entries(FRAMED).map(([name, path]) => ({ name, kind: 'framed', address: () => path })),
  prepare,
)
