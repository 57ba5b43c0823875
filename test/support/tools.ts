import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const runs = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']

export const chromiumPath: string | undefined = [process.env['CHROMIUM_PATH'], ...CHROMIUM].find(
  (path) => path !== undefined && existsSync(path),
)

/** Python as Debian installs it, with its packages. */
export const PYTHON = '/usr/bin/python3'

export const GOCODE = '/usr/share/gocode/src'

const MOD_AUTH_OPENIDC = '/usr/lib/apache2/modules/mod_auth_openidc.so'

/** `isNeeded`: `npm test` needs the tool, and with `CI=true` its absence is a failure. */
type Tool = Readonly<{ isHere: () => boolean; remedy: string; isNeeded?: true }>

/** Programs that some tests need, and that `npm ci` does not install. */
export const TOOLS = {
  chromium: {
    isHere: () => chromiumPath !== undefined,
    remedy: 'apt-get install chromium, or set CHROMIUM_PATH',
    isNeeded: true,
  },
  'redis-server': {
    isHere: () => runs('redis-server', '--version'),
    remedy: 'apt-get install redis-server',
    isNeeded: true,
  },
  python: {
    isHere: () =>
      runs(PYTHON, '-c', 'import authlib.jose, cryptography, django, flask, jwt, pytest, requests'),
    remedy:
      'apt-get install python3-authlib python3-django python3-flask python3-jwt python3-pytest python3-requests',
  },
  go: {
    isHere: () =>
      runs('go', 'version') &&
      ['github.com/coreos/go-oidc', 'golang.org/x/oauth2'].every((path) =>
        existsSync(`${GOCODE}/${path}`),
      ),
    remedy: 'apt-get install golang-go golang-github-coreos-go-oidc-dev golang-golang-x-oauth2-dev',
  },
  ruby: {
    isHere: () => runs('ruby', '-e', 'require "openid_connect"'),
    remedy: 'apt-get install ruby ruby-openid-connect',
  },
  apache: {
    isHere: () => existsSync(MOD_AUTH_OPENIDC) && runs('/usr/sbin/apache2', '-v'),
    remedy: 'apt-get install apache2-bin libapache2-mod-auth-openidc',
  },
  nginx: { isHere: () => runs('/usr/sbin/nginx', '-v'), remedy: 'apt-get install nginx-light' },
  kubectl: { isHere: () => runs('kubectl', 'version', '--client'), remedy: 'install kubectl' },
  buildah: {
    isHere: () =>
      process.getuid?.() === 0 && runs('buildah', '--version') && runs('debootstrap', '--version'),
    remedy: 'apt-get install buildah debootstrap, as root',
  },
} as const satisfies Readonly<Record<string, Tool>>

export type ToolName = keyof typeof TOOLS

declare module 'vitest' {
  interface TaskMeta {
    /**
     * The tool whose absence left a group of tests out. The reporter in `test/support/left-out.ts`
     * reads it.
     */
    missing?: ToolName
  }
}

/**
 * A group of tests that need a tool: left out where it is missing, and failing in CI when `npm
 * test` needs it.
 */
export function describeWith(
  tool: ToolName,
  name: string,
  tests: () => void | Promise<void>,
): void {
  const { isHere, remedy, isNeeded }: Tool = TOOLS[tool]
  if (isHere()) return void describe(name, tests)
  const isFailure = isNeeded && process.env['CI'] === 'true'
  test.skipIf(!isFailure)(name, { meta: { missing: tool } }, () =>
    expect.fail(`${tool} is missing: ${remedy}`),
  )
}
