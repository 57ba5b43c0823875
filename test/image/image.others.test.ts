import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { folderWith } from '../support/folder-with.ts'
import { findFreePort } from '../support/free-port.ts'
import { describeWith } from '../support/tools.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = folderWith({}, afterAll)

/** Builds images without a container engine, in a store of its own. */
const STORE = [
  '--root',
  join(folder, 'store'),
  '--runroot',
  join(folder, 'run'),
  '--storage-driver',
  'vfs',
]
const buildah = (...args: string[]) =>
  execFileSync('buildah', [...STORE, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

/** Where this machine keeps the certificates that it trusts, and its npm. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const NPM = '/usr/lib/node_modules/npm'

/** How the image runs. Times are in nanoseconds. */
let config: Readonly<Record<'User' | 'WorkingDir', string>> &
  Readonly<Record<'Env' | 'Entrypoint' | 'Cmd', readonly string[]>> & {
    Healthcheck: { Test: readonly string[] }
  }
/** The root folder of a container of the image. */
let root: string

const TAG = 'localhost/agekey-sandbox'

describeWith('buildah', 'The image', () => {
  beforeAll(() => {
    makeBase('localhost/node')
    const how = [
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--build-arg',
      'BASE=localhost/node',
    ]
    buildah('bud', ...how, '--tag', TAG, ROOT)
    config = JSON.parse(buildah('inspect', '--type', 'image', TAG)).Docker.config
    root = buildah('mount', buildah('from', TAG))
  }, 900_000)

  test('The image holds what runs, with the documents that it serves, and nothing else', () => {
    const texts = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md']
    const documents = [...texts, 'compose.yaml', 'docs', 'examples', 'skills']
    expect(readdirSync(join(root, 'app')).sort()).toEqual(
      [...documents, 'dist', 'package.json', 'public'].sort(),
    )
    expect(readdirSync(join(root, 'app/dist'))).toEqual(
      expect.arrayContaining(['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json']),
    )
    expect(config.User).toBe('1000:1000')
  })

  test('The image has a folder for a volume with the state, which its user alone may use', () => {
    const { uid, gid, mode } = statSync(join(root, 'state'))
    expect(`${uid}:${gid}`).toBe(config.User)
    expect(mode & 0o777).toBe(0o700)
  })

  test('The image is asked for its health every 30 seconds, and sooner while it starts', () => {
    const seconds = 1e9
    const expected = { Interval: 30 * seconds, StartPeriod: 30 * seconds, Timeout: 4 * seconds }
    expect(config.Healthcheck).toMatchObject(expected)
    const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'))
    const composed = { start_interval: '500ms', start_period: '30s', interval: '30s' }
    expect(services['agekey-sandbox'].healthcheck).toEqual(composed)
  })

  test('The image as PID 1, on a read-only disk without capabilities, gets healthy and ends on SIGTERM', async () => {
    const container = await start()
    expect(
      (await fetch(`${container.url}/v1/oidc/use/.well-known/openid-configuration`)).status,
    ).toBe(200)

    container.terminate()
    // Not killed: that would be no number.
    expect(await container.ended).toBe(0)
  })

  test('The image has its control API off until a token is set, and then asks for it', async () => {
    const closed = await start()
    expect((await fetch(`${closed.url}/_sandbox/catalog`)).status).toBe(403)
    const open = await start({ AGEKEY_SANDBOX_CONTROL_TOKEN: 'right' })
    expect((await fetch(`${open.url}/_sandbox/catalog`)).status).toBe(401)
    const answer = await fetch(`${open.url}/_sandbox/catalog`, {
      headers: { Authorization: 'Bearer right' },
    })
    expect(answer.status).toBe(200)
  })
})

/** Makes a base of this machine's Node on a minimal Debian, and tags it. */
function makeBase(tag: string): void {
  const debian = join(folder, 'debian')
  execFileSync(
    'debootstrap',
    ['--variant=minbase', '--include=ca-certificates', 'bookworm', debian],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  copyFileSync(process.execPath, join(debian, 'usr/bin/node'))
  mkdirSync(join(debian, 'usr/lib/node_modules'), { recursive: true })
  cpSync(NPM, join(debian, 'usr/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(debian, 'usr/bin/npm'))
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(debian, CERTIFICATES))
  const container = buildah('from', 'scratch')
  buildah('copy', container, debian, '/')
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container)
  buildah('commit', '--rm', '--format', 'docker', container, tag)
  rmSync(debian, { recursive: true })
}

/**
 * Runs the image until it is healthy, as a container engine does with `--read-only --cap-drop ALL`,
 * in the network of this machine.
 */
async function start(env: Readonly<Record<string, string>> = {}) {
  const port = await findFreePort()
  const given = Object.entries({ AGEKEY_SANDBOX_PORT: port, ...env }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const [uid = '', gid = ''] = config.User.split(':')
  const rights = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const confined = ['--reuid', uid, '--regid', gid, ...rights]
  const inside = (command: readonly string[]) => [
    ...['chroot', root, 'setpriv', ...confined, 'env', '-i', `--chdir=${config.WorkingDir}`],
    ...[...config.Env, ...given, ...command],
  ]
  const script = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`
  const apart = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, root]
  const program = inside([...config.Entrypoint, ...config.Cmd])
  const child = spawn('unshare', [...apart, ...program], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  /**
   * To the first process inside, which takes all others with it: giving up its rights, it let go of
   * its parent.
   */
  const signal = (name: NodeJS.Signals) => {
    const first = spawnSync('pgrep', ['--parent', String(child.pid)], {
      encoding: 'utf8',
    }).stdout.trim()
    if (first !== '') process.kill(Number(first), name)
  }
  onTestFinished(async () => {
    signal('SIGKILL')
    await ended
  })
  const [command = '', ...probe] = inside(config.Healthcheck.Test.slice(1))
  const isHealthy = () => spawnSync(command, probe, { stdio: 'ignore' }).status === 0
  await expect.poll(isHealthy, { timeout: 20_000, interval: 200 }).toBe(true)
  return { url: `http://127.0.0.1:${port}`, ended, terminate: () => signal('SIGTERM') }
}
