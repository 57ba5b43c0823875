import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SANDBOX, startCommand } from './command.js'
import { interleave } from './measure.js'
import { send } from './requests.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DISCOVERY = {
  ours: '/v1/oidc/use/.well-known/openid-configuration',
  theirs: '/.well-known/openid-configuration',
}

/** Milliseconds from spawning a command until a discovery document comes with status 200. */
async function readyAfter(command, args, { path, env }) {
  const startedAt = performance.now()
  const { url, stop } = await startCommand(command, args, env)
  const { status } = await send(url + path)
  const elapsed = performance.now() - startedAt
  stop()
  if (status !== 200) throw new Error(`${command}: status ${status}`)
  return elapsed
}

const row = (what, wanted, { ours, theirs }) => ({
  what,
  ours,
  theirs,
  unit: 'ms',
  ratio: ours / theirs,
  wanted,
})

/** From the spawn of the installed command to the first answer. */
export async function coldStart() {
  // By this variable Node 20 reads further certificates at each start: some 20 ms more for any
  // program.
  const bare = { NODE_EXTRA_CA_CERTS: undefined }
  const peer = fileURLToPath(
    new URL('node_modules/oauth2-mock-server/dist/oauth2-mock-server.mjs', import.meta.url),
  )
  const home = mkdtempSync(join(tmpdir(), 'agekey-bench-'))
  const medians = await interleave(15, {
    ours: () =>
      readyAfter(process.execPath, [SANDBOX, '-p', '0'], {
        path: DISCOVERY.ours,
        env: { ...bare, XDG_STATE_HOME: home },
      }),
    theirs: () =>
      readyAfter(process.execPath, [peer, '-p', '0'], { path: DISCOVERY.theirs, env: bare }),
  })
  rmSync(home, { recursive: true })
  return [row('Cold start to the first answer, against oauth2-mock-server', '<= 0.5', medians)]
}

/**
 * From `npx` with an empty cache to the first answer. Ours is the packed tarball; theirs comes from
 * the registry.
 */
export async function coldNpx() {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-bench-'))
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const tarball = execFileSync('sh', ['-c', 'echo "$0"/*.tgz', folder], { encoding: 'utf8' }).trim()
  let round = 0
  const run = (packed, name, path) => {
    const cache = join(folder, `cache-${round++}`)
    return readyAfter('npx', ['--yes', '--cache', cache, '--package', packed, name, '-p', '0'], {
      path,
      env: { XDG_STATE_HOME: folder },
    })
  }
  const medians = await interleave(3, {
    ours: () => run(tarball, 'agekey-sandbox', DISCOVERY.ours),
    theirs: () => run('oauth2-mock-server@8', 'oauth2-mock-server', DISCOVERY.theirs),
  })
  rmSync(folder, { recursive: true })
  return [row('npx with an empty cache, against oauth2-mock-server', '<= 1', medians)]
}
