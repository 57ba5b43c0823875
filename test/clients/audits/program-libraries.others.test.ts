import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished, vi } from 'vitest'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { findFreePort } from '../../support/free-port.ts'
import { ageSignal } from '../../support/requests.ts'
import { describeWith, PYTHON } from '../../support/tools.ts'
import { startApache } from '../apache-server.ts'
import { readExample } from '../examples.ts'
import { auditLibrary, READS_ANSWER, READS_REPLY } from './audit-library.ts'

/** Where the apps are. */
const APPS = fileURLToPath(new URL('./apps/', import.meta.url))

/** What a program prints; empty when it is not here or fails. */
const outputOf = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? ''

interface Program {
  readonly command: string
  readonly args?: readonly string[]
  /** Writes what the program reads when it starts: variables of its environment. */
  prepare?(app: {
    readonly baseUrl: string
    readonly appUrl: string
  }): Readonly<Record<string, string>>
}

/** Starts an app that is a program, for one test: the page where a user begins. */
const startProgram =
  ({ command, args = [], prepare }: Program) =>
  async ({ baseUrl }: Pick<Sandbox, 'baseUrl'>): Promise<string> => {
    const port = `${await findFreePort()}`
    const appUrl = `http://localhost:${port}`
    const env = {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      AUTHLIB_INSECURE_TRANSPORT: '1',
      PORT: port,
      FLASK_RUN_PORT: port,
      APP_URL: appUrl,
      ISSUER: `${baseUrl}/v1/oidc/use`,
      UPGRADE_URL: `${baseUrl}/v1/svc/upgrade`,
      UPGRADE: JSON.stringify({ authorization_details: [ageSignal()] }),
      ...prepare?.({ baseUrl, appUrl }),
    }
    // Its log is of no use: the rows of the catalogue fill it.
    const app = spawn(command, args, { cwd: APPS, env, stdio: 'ignore' })
    onTestFinished(() => void app.kill())
    const ended = once(app, 'exit').then(([code]) =>
      Promise.reject(new Error(`${command} ended with ${code}`)),
    )
    await Promise.race([ended, vi.waitFor(() => fetch(appUrl), { timeout: 60_000, interval: 100 })])
    ended.catch(() => undefined)
    return `${appUrl}/verify`
  }

const flask = (python: string, app: string) => ({
  command: python,
  args: ['-m', 'flask', '--app', app, 'run'],
})

/** The version of a package of Debian, without that of its packaging: 2.1.0 of 2.1.0-2. */
const debianVersion = (name: string) =>
  /\t(?:\d+:)?(.+)-/.exec(outputOf('dpkg-query', '--show', name))?.[1] ?? ''

describeWith('python', 'In Python', () => {
  const authlib = {
    version: outputOf(PYTHON, '-c', 'import authlib; print(authlib.__version__)'),
  }

  auditLibrary({
    ...authlib,
    name: 'authlib',
    library: 'Authlib',
    uses: '`authorize_redirect`, `parse_id_token` and `fetch_access_token` of its client for Flask',
    app: 'authlib_app.py',
    note: '`parse_id_token` compares `aud` with the `client_id` through `azp` alone unless its `claims_options` name a value of `aud`, and reads no `c_hash`.',
    left_out: { ...READS_ANSWER, ...READS_REPLY },
    start: startProgram(flask(PYTHON, 'authlib_app')),
  })

  auditLibrary({
    ...authlib,
    name: 'authlib-hybrid',
    library: 'Authlib with HybridIDToken',
    uses: '`JsonWebToken.decode` with `claims_cls=HybridIDToken`, its `claims_options` and `claims_params`',
    left_out: {
      ...READS_ANSWER,
      ...READS_REPLY,
      'flow:token': 'it is the call that stands with Authlib',
      'use/callback.state*': 'the lines compare it by themselves',
      'use/callback.replayed': 'the same',
    },
    start: startProgram({
      ...flask(PYTHON, 'authlib_lines_app'),
      prepare({ baseUrl, appUrl }) {
        const folder = makeScratchFolder()
        const names = { 'http://localhost:2435': baseUrl, 'http://localhost:3000': appUrl }
        writeFileSync(join(folder, 'authlib_client.py'), readExample('# authlib_client.py', names))
        return { PYTHONPATH: folder }
      },
    }),
  })

  auditLibrary({
    name: 'pyjwt',
    library: 'PyJWT',
    version: outputOf(PYTHON, '-c', 'import jwt; print(jwt.__version__)'),
    uses: '`PyJWKClient` and `decode` with `algorithms`, `audience` and `issuer`',
    app: 'pyjwt_app.py',
    note: 'It is no client library: `state`, `nonce` and errors are left to the app. Claims that have to be there can be named by its option `require`, which the app does not use.',
    left_out: {
      'use/callback.*': 'PyJWT reads a token; the app reads the callback by itself',
      'family:error': 'the same',
      'use/id_token.crit_unknown':
        'PyJWT 2.6.0 does not look at it; a security update of Debian refuses it under the same version (CVE-2026-32597)',
    },
    start: startProgram(flask(PYTHON, 'pyjwt_app')),
  })
})

describeWith('go', 'In Go', () => {
  auditLibrary({
    name: 'go-oidc',
    library: 'go-oidc',
    version: debianVersion('golang-github-coreos-go-oidc-dev'),
    uses: '`NewProvider` and `Verify` with `ClientID`, and `AuthCodeURL` and `Exchange` of x/oauth2',
    app: 'go-oidc/main.go',
    note: 'Its documentation says that `Verify` checks no nonce. Its examples compare `state` and `nonce` by themselves, which the app does not.',
    left_out: { ...READS_ANSWER, ...READS_REPLY },
    async start(sandbox) {
      const program = join(makeScratchFolder(), 'app')
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' }
      await promisify(execFile)('go', ['build', '-o', program, './go-oidc'], { cwd: APPS, env })
      return startProgram({ command: program })(sandbox)
    },
  })
})

describeWith('ruby', 'In Ruby', () => {
  auditLibrary({
    name: 'ruby-openid-connect',
    library: 'openid_connect for Ruby',
    version: outputOf('ruby', '-e', 'require "openid_connect"; puts OpenIDConnect::VERSION'),
    uses: '`Config.discover!`, `IdToken.decode`, `verify!` with `issuer`, `client_id` and `nonce`, and `access_token!`',
    app: 'openid_connect_app.rb',
    note: 'It reads the token of an answer and nothing else: `state` and errors are left to the app.',
    left_out: { ...READS_ANSWER, ...READS_REPLY },
    start: startProgram({ command: 'ruby', args: ['-W0', 'openid_connect_app.rb'] }),
  })
})

describeWith('apache', 'In Apache', () => {
  auditLibrary({
    name: 'mod-auth-openidc',
    library: 'mod_auth_openidc',
    version: debianVersion('libapache2-mod-auth-openidc'),
    uses: '`OIDCResponseType id_token` and `Require claim age_thresholds.18:true`',
    note: 'It answers what it refuses by a page of its own with the status 200, and users whom the claim keeps out by 401. A right token with a `c_hash` and no code ends the process of Apache that reads it.',
    // A row may end a process of Apache, with what it does for other visits.
    options: { jobs: 1 },
    start: async (sandbox) => (await startApache(sandbox)).verify,
  })
})
