import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Where this machine keeps the certificates that it trusts, and its npm. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const NPM = '/usr/lib/node_modules/npm'

/** Builds images without a container engine, in a store of its own. */
export interface Buildah {
  /** Makes a base of this machine's Node on a minimal Debian, and tags it. */
  makeBase(tag: string): void
  /** Builds the Dockerfile in `folder` on `base`, and tags it. */
  build(folder: string, { base, tag }: { readonly base: string; readonly tag: string }): void
  /** What the image says about how it runs. */
  configOf(tag: string): ImageConfig
  /** The root folder of a new container. */
  unpack(tag: string): string
}

export interface ImageConfig {
  readonly User: string
  readonly WorkingDir: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  /** Times in nanoseconds. */
  readonly Healthcheck: {
    readonly Test: readonly string[]
    readonly Interval: number
    readonly StartPeriod: number
    readonly Timeout: number
  }
}

/** Buildah with everything that it writes in `folder`. */
export function createBuildah(folder: string): Buildah {
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: string[]) =>
    execFileSync('buildah', [...store, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  return {
    makeBase(tag) {
      const debian = join(folder, 'debian')
      execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', debian], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
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
    },
    build(context, { base, tag }) {
      const how = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `BASE=${base}`]
      buildah('bud', ...how, '--tag', tag, context)
    },
    configOf(tag) {
      return JSON.parse(buildah('inspect', '--type', 'image', tag)).Docker.config
    },
    unpack: (tag) => buildah('mount', buildah('from', tag)),
  }
}
