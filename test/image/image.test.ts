import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { findFreePort } from '../support/free-port.ts'
import { describeWith } from '../support/tools.ts'
import { createBuildah, type ImageConfig } from './buildah.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'agekey-image-'))
const buildah = createBuildah(folder)

let config: ImageConfig
let root: string

describeWith('buildah', 'The image', () => {
  beforeAll(() => {
    buildah.makeBase('localhost/node')
    buildah.build(ROOT, { base: 'localhost/node', tag: 'localhost/agekey-sandbox' })
    config = buildah.configOf('localhost/agekey-sandbox')
    root = buildah.unpack('localhost/agekey-sandbox')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('holds what runs, with the documents that it serves, and nothing else', () => {
    const texts = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']
    const documents = [...texts, 'compose.yaml', 'docs', 'examples', 'skills']
    expect(readdirSync(join(root, 'app')).sort()).toEqual([...documents, 'dist', 'package.json', 'public'].sort())
    expect(readdirSync(join(root, 'app/dist'))).toEqual(
      expect.arrayContaining(['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json']),
    )
    expect(config.User).toBe('1000:1000')
  })

  test('is asked for its health every 30 seconds, and sooner while it starts', () => {
    const seconds = 1e9
    expect(config.Healthcheck).toMatchObject({
      Interval: 30 * seconds,
      StartPeriod: 30 * seconds,
      Timeout: 4 * seconds,
    })
    const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'))
    expect(services['agekey-sandbox'].healthcheck).toEqual({
      start_interval: '500ms',
      start_period: '30s',
      interval: '30s',
    })
  })

  test('as PID 1, on a read-only disk and without capabilities, gets healthy and ends on SIGTERM', async () => {
    const container = await start()
    await expect.poll(() => container.isHealthy(), { timeout: 20_000, interval: 200 }).toBe(true)
    const discovery = await fetch(`${container.url}/v1/oidc/use/.well-known/openid-configuration`)
    expect(discovery.status).toBe(200)

    container.terminate()
    // Not killed: that would be no number.
    expect(await container.ended).toBe(0)
  })

  test('has its control API off until a token is set, and then asks for it', async () => {
    const closed = await start()
    await expect.poll(() => closed.isHealthy(), { timeout: 20_000, interval: 200 }).toBe(true)
    expect((await fetch(`${closed.url}/_sandbox/catalog`)).status).toBe(403)
    const open = await start({ AGEKEY_SANDBOX_CONTROL_TOKEN: 'right' })
    await expect.poll(() => open.isHealthy(), { timeout: 20_000, interval: 200 }).toBe(true)
    expect((await fetch(`${open.url}/_sandbox/catalog`)).status).toBe(401)
    const answer = await fetch(`${open.url}/_sandbox/catalog`, { headers: { Authorization: 'Bearer right' } })
    expect(answer.status).toBe(200)
  })
})

/** Runs the image as a container engine does with `--read-only --cap-drop ALL`, in the network of this machine. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const port = await findFreePort()
  const all = [
    ...config.Env,
    `AGEKEY_SANDBOX_PORT=${port}`,
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ]
  const [uid = '', gid = ''] = config.User.split(':')
  const rights = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const confined = ['--reuid', uid, '--regid', gid, ...rights]
  const inside = (command: readonly string[]) => [
    ...['chroot', root, 'setpriv', ...confined, 'env', '-i', `--chdir=${config.WorkingDir}`],
    ...all,
    ...command,
  ]
  const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`
  const apart = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root]
  const command = inside([...config.Entrypoint, ...config.Cmd])
  const child = spawn('unshare', [...apart, ...command], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  /** To the first process inside, which takes all others with it: giving up its rights, it let go of its parent. */
  const signal = (name: NodeJS.Signals) => {
    const first = spawnSync('pgrep', ['--parent', String(child.pid)], { encoding: 'utf8' }).stdout.trim()
    if (first !== '') process.kill(Number(first), name)
  }
  onTestFinished(async () => {
    signal('SIGKILL')
    await ended
  })
  const [, ...probe] = config.Healthcheck.Test
  return {
    url: `http://127.0.0.1:${port}`,
    ended,
    terminate: () => signal('SIGTERM'),
    isHealthy: () => {
      const [command = '', ...args] = inside(probe)
      return new Promise<boolean>((resolve) => {
        spawn(command, args, { stdio: 'ignore' }).on('close', (code) => resolve(code === 0))
      })
    },
  }
}
