import { execFile } from 'node:child_process'
import { inspect, promisify } from 'node:util'
import supertest from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createScratchFolder, makeScratchFolder } from '../docs/scratch-folder.ts'
import { ageSignal } from '../support/requests.ts'
import { shareSandbox, startSandbox } from '../support/sandbox.ts'
import type { Replacements } from './examples.ts'

/** What a request is sent with, and has to come back. */
export type Sent = Readonly<Record<'state' | 'nonce', string>>

/** A library that an app calls, as the page on clients shows it. */
export interface Library {
  useUrl(request: Sent & { readonly scope: string }): Promise<string | URL>
  /** The claims of the token in an answer. @throws Error that says what is wrong with it */
  readAnswer(url: URL, sent: Sent): Promise<unknown>
  createUrl(request: {
    readonly state: string
    readonly signals: readonly unknown[]
  }): Promise<string | URL>
  /** Exchanges a code and adds age signals to the age key. */
  upgrade(request: {
    readonly code: string
    readonly signals: readonly unknown[]
  }): Promise<unknown>
}

interface Abilities {
  /** What it cannot do. */
  readonly lacks?: readonly ('create' | 'upgrade')[]
  /** Whether it compares `c_hash` with a code that came beside the token. */
  readonly checksCodeHash?: boolean
  /**
   * The environment variable that names a certificate to trust. Absent: it is that of a library
   * that is tested.
   */
  readonly trust?: string
  /** What its block says instead when tokens are signed by ES256. */
  readonly es256?: Replacements
  /** What it says of a token with another signature. */
  readonly signature: RegExp
  /** What it says of a token with the nonce of an earlier flow. */
  readonly nonce: RegExp
}

/**
 * Where the code of a library is put, variables of its environment, and other text for texts in the
 * code.
 */
interface Surroundings {
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly replacements?: Replacements
}

export type LoadLibrary = (sandbox: Sandbox, surroundings: Surroundings) => Promise<Library>

const ACCEPTED = /age_thresholds/
const reaching = (is18: boolean) => ({ age_thresholds: { 18: is18 } })

/** Functions of a block in JavaScript. */
const callable = <T>() => z.custom<T>((value) => typeof value === 'function')
export const librarySchema: z.ZodType<Library> = z.object({
  useUrl: callable<Library['useUrl']>(),
  readAnswer: callable<Library['readAnswer']>(),
  createUrl: callable<Library['createUrl']>(),
  upgrade: callable<Library['upgrade']>(),
})

/** What a library does that can be asked for each step: the same for each language. */
export function describeLibrary(
  title: string,
  load: LoadLibrary,
  { lacks = [], checksCodeHash = false, trust = '', es256 = {}, ...reasons }: Abilities,
): void {
  // Some of these start a program for each call.
  describe(title, { timeout: 120_000 }, async () => {
    const sandbox = await shareSandbox()
    const { folder, remove } = createScratchFolder()
    afterAll(remove)
    const library = await load(sandbox, { folder })

    let flows = 0
    /** Asks as a persona: the answer, and the claims that the library reads in it. */
    async function ask(persona: string, scope: string) {
      flows += 1
      const sent = { state: `state-${flows}`, nonce: `nonce-${flows}` }
      const answer = await visit(await library.useUrl({ ...sent, scope }), persona)
      return {
        code: answer.searchParams.get('code') ?? '',
        claims: library.readAnswer(answer, sent),
      }
    }
    const use = async (persona: string): Promise<unknown> => (await ask(persona, 'openid')).claims

    test(`${title} reads a good token of Use`, async () => {
      expect(await use('adult-passport')).toMatchObject(reaching(true))
      expect(await use('teen-16')).toMatchObject(reaching(false))
    })

    test.each([
      ['id_token.signature_bit_flipped', reasons.signature],
      ['id_token.nonce_of_earlier_flow', reasons.nonce],
      ['id_token.c_hash_wrong', checksCodeHash ? /c_hash/ : ACCEPTED],
      // These claims are of this service alone, and left to the app.
      ['id_token.age_thresholds.extra', ACCEPTED],
      ['id_token.age_thresholds.false_strings', ACCEPTED],
      ['id_token.req_claims_hash_weaker', ACCEPTED],
    ] as const)(`${title} answers %s beside a code by %s`, async (outcome, said) => {
      await use('adult-passport')
      await sandbox.next({ flow: 'use', outcome })
      const { code, claims } = await ask('child-12', 'openid svc.upgrade')
      expect(code).not.toBe('')
      // What a library says is also in the causes of its error.
      expect(await claims.then(inspect, inspect)).toMatch(said)
    })

    if (!lacks.includes('create'))
      test(`${title} saves an age key by a pushed request, which the next Use finds`, async () => {
        const url = await library.createUrl({ state: 'state-of-create', signals: [ageSignal()] })
        const answer = await visit(url, 'no-age-key')
        expect([...answer.searchParams]).toEqual([['state', 'state-of-create']])
        expect(await use('no-age-key')).toMatchObject(reaching(true))
      })

    if (!lacks.includes('upgrade'))
      test(`${title} reads a token beside a code and upgrades the age key`, async () => {
        const { code, claims } = await ask('child-12', 'openid svc.upgrade')
        expect(await claims).toMatchObject(reaching(false))
        await library.upgrade({ code, signals: [ageSignal()] })
        expect(await use('child-12')).toMatchObject(reaching(true))
      })

    /** A token of another sandbox, read with another code. */
    async function readWith(
      sandbox: Sandbox,
      surroundings: Omit<Surroundings, 'folder'>,
    ): Promise<unknown> {
      const library = await load(sandbox, { folder: makeScratchFolder(), ...surroundings })
      const sent = { state: 'state-1', nonce: 'nonce-1' }
      const url = await library.useUrl({ ...sent, scope: 'openid' })
      return library.readAnswer(await visit(url, 'adult-passport', sandbox.certificate?.pem), sent)
    }

    test(`${title} reads a token that is signed by ES256`, async () => {
      const sandbox = await startSandbox({ signingAlg: 'ES256' })
      expect(await readWith(sandbox, { replacements: es256 })).toMatchObject(reaching(true))
    })

    if (trust !== '')
      test(`${title} reads a token over https when ${trust} names the certificate, and only then`, async () => {
        const sandbox = await startSandbox({ https: true, stateDir: makeScratchFolder() })
        const claims = await readWith(sandbox, {
          env: { [trust]: sandbox.certificate?.file ?? '' },
        })
        expect(claims).toMatchObject(reaching(true))
        expect(await readWith(sandbox, {}).then(inspect, inspect)).toMatch(/certificate/i)
      })
  })
}

/** Sends the browser of a persona to the service: where it comes back to. */
async function visit(address: string | URL, persona: string, ca = ''): Promise<URL> {
  const { origin, pathname, search } = new URL(address)
  const request = supertest(origin).get(`${pathname}${search}`).set('X-Sandbox-Persona', persona)
  const { headers, text } = await (ca === '' ? request : request.ca(ca))
  return new URL(headers.location ?? `no-redirect:${text}`)
}

/** How a program is run that holds a block of the page. */
interface Program extends Omit<Surroundings, 'replacements'> {
  readonly command: string
  readonly args?: readonly string[]
}

/**
 * A library in another language: each call is a run of a program, which reads it from its input and
 * prints the result.
 */
export function runLibrary({ command, args = [], folder, env = {} }: Program): Library {
  const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } }
  async function call(name: string, values: object) {
    const running = promisify(execFile)(command, args, options)
    running.child.stdin?.end(JSON.stringify({ name, values }))
    return JSON.parse((await running).stdout)
  }
  return {
    useUrl: (request) => call('use_url', request),
    readAnswer: ({ href }, sent) => call('read_answer', { url: href, ...sent }),
    createUrl: (request) => call('create_url', request),
    upgrade: (request) => call('upgrade', request),
  }
}
