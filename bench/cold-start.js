import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { interleave } from './measure.js'
import { send } from './requests.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DISCOVERY = { ours: '/v1/oidc/use/.well-known/openid-configuration', theirs: '/.well-known/openid-configuration' }
/** Addresses as the two print them. */
const ADDRESS = /http:\/\/(?:localhost|127\.0\.0\.1|\[::1?\]):\d+/

/** Milliseconds from spawning a command until a discovery document comes with status 200. */
async function readyAfter(command, args, { path, env = {} }) {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = await new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk) => {
      output += chunk
      const address = ADDRESS.exec(output)
      if (address) resolve(address[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => reject(new Error(output)))
  })
  const { status } = await send(url.replace(/\[::1?\]/, 'localhost') + path)
  const elapsed = performance.now() - startedAt
  // The command and what it started: npx runs the server as a child.
  process.kill(-child.pid, 'SIGKILL')
  if (status !== 200) throw new Error(`${command}: status ${status}`)
  return elapsed
}

const row = (what, wanted, { ours, theirs }) => ({ what, ours, theirs, unit: 'ms', ratio: ours / theirs, wanted })

/** From the spawn of the installed command to the first answer. */
export async function coldStart() {
  const peer = fileURLToPath(new URL('node_modules/oauth2-mock-server/dist/oauth2-mock-server.mjs', import.meta.url))
  const home = mkdtempSync(join(tmpdir(), 'agekey-bench-'))
  const medians = await interleave(15, {
    ours: () =>
      readyAfter(process.execPath, [join(ROOT, 'dist/bin.js'), '-p', '0'], {
        path: DISCOVERY.ours,
        env: { XDG_STATE_HOME: home },
      }),
    theirs: () => readyAfter(process.execPath, [peer, '-p', '0'], { path: DISCOVERY.theirs }),
  })
  rmSync(home, { recursive: true })
  return [row('Cold start to the first answer, against oauth2-mock-server', '<= 0.5', medians)]
}

/** From `npx` with an empty cache to the first answer. Ours is the packed tarball; theirs comes from the registry. */
export async function coldNpx() {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-bench-'))
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'ignore' })
  const tarball = execFileSync('sh', ['-c', 'echo "$0"/*.tgz', folder], { encoding: 'utf8' }).trim()
  let round = 0
  const run = (args, path) => {
    const cache = join(folder, `cache-${round++}`)
    return readyAfter('npx', ['--yes', '--cache', cache, ...args, '-p', '0'], { path, env: { XDG_STATE_HOME: folder } })
  }
  const medians = await interleave(3, {
    ours: () => run([tarball], DISCOVERY.ours),
    theirs: () => run(['oauth2-mock-server@8'], DISCOVERY.theirs),
  })
  rmSync(folder, { recursive: true })
  return [row('npx with an empty cache, against oauth2-mock-server', '<= 1', medians)]
}
