import { inspect } from 'node:util'
import supertest from 'supertest'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { createScratchFolder, makeScratchFolder } from '../docs/scratch-folder.ts'
import { shareSandbox } from '../outcomes/shared-sandbox.ts'
import { ageSignal } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import type { Replacements } from './examples.ts'

/** What a request is sent with, and has to come back. */
interface Sent {
  readonly state: string
  readonly nonce: string
}

/** A library that an app calls, as the page on clients shows it. */
export interface Library {
  useUrl(request: Sent & { readonly scope: string }): Promise<string | URL>
  /** The claims of the token in an answer. @throws Error that says what is wrong with it */
  readAnswer(url: URL, sent: Sent): Promise<unknown>
  createUrl(request: { readonly state: string; readonly signals: readonly unknown[] }): Promise<string | URL>
  /** Exchanges a code and adds age signals to the age key. */
  upgrade(request: { readonly code: string; readonly signals: readonly unknown[] }): Promise<unknown>
}

interface Abilities {
  /** What it cannot do. */
  readonly lacks?: readonly ('create' | 'upgrade')[]
  /** Whether it compares `c_hash` with a code that came beside the token. */
  readonly checksCodeHash?: boolean
  /** The environment variable that names a certificate to trust. */
  readonly trust: string
  /** What its block says instead when tokens are signed by ES256. */
  readonly es256?: Replacements
  /** What it says of a token with another signature. */
  readonly signature: RegExp
  /** What it says of a token with the nonce of an earlier flow. */
  readonly nonce: RegExp
}

/** What a library is loaded with. */
export interface Surroundings {
  /** Where its code is put. */
  readonly folder: string
  /** Environment variables of its own. */
  readonly env?: Readonly<Record<string, string>>
  /** Other text for texts in it. */
  readonly replacements?: Replacements
}

export type LoadLibrary = (sandbox: Sandbox, surroundings: Surroundings) => Promise<Library>

// Some of these start a program for each call.
vi.setConfig({ testTimeout: 120_000 })

/** What a library does that can be asked for each step: the same for each language. */
export function describeLibrary(
  title: string,
  load: LoadLibrary,
  { lacks = [], checksCodeHash = false, trust, es256 = {}, ...reasons }: Abilities,
): void {
  describe(title, () => {
    const sandbox = shareSandbox()
    let library: Library
    // What compiles takes its time.
    beforeAll(async () => {
      const { folder, remove } = createScratchFolder()
      library = await load(sandbox(), { folder })
      return remove
    }, 180_000)

    let flows = 0
    /** A whole Use flow as a persona: the claims that the library reads. */
    async function use(persona: string): Promise<unknown> {
      flows += 1
      const sent = { state: `state-${flows}`, nonce: `nonce-${flows}` }
      return library.readAnswer(await visit(await library.useUrl({ ...sent, scope: 'openid' }), persona), sent)
    }

    test('reads a good token of Use', async () => {
      expect(await use('adult-passport')).toMatchObject({ age_thresholds: { 18: true } })
      expect(await use('teen-16')).toMatchObject({ age_thresholds: { 18: false } })
    })

    test.each([
      ['id_token.signature_bit_flipped', reasons.signature],
      ['id_token.nonce_of_earlier_flow', reasons.nonce],
    ] as const)('refuses %s for that reason', async (outcome, reason) => {
      await use('adult-passport')
      await sandbox().next({ flow: 'use', outcome })
      // What a library says is also in the causes of its error.
      expect(await use('adult-passport').then(String, inspect)).toMatch(reason)
    })

    if (!lacks.includes('create'))
      test('saves an age key by a pushed request, which the next Use finds', async () => {
        const url = await library.createUrl({ state: 'state-of-create', signals: [ageSignal()] })
        const answer = await visit(url, 'no-age-key')
        expect([...answer.searchParams]).toEqual([['state', 'state-of-create']])
        expect(await use('no-age-key')).toMatchObject({ age_thresholds: { 18: true } })
      })

    if (!lacks.includes('upgrade'))
      test('reads a token beside a code and upgrades the age key', async () => {
        const sent = { state: 'state-of-upgrade', nonce: 'nonce-of-upgrade' }
        const answer = await visit(await library.useUrl({ ...sent, scope: 'openid svc.upgrade' }), 'child-12')
        expect(await library.readAnswer(answer, sent)).toMatchObject({ age_thresholds: { 18: false } })
        await library.upgrade({ code: answer.searchParams.get('code') ?? '', signals: [ageSignal()] })
        expect(await use('child-12')).toMatchObject({ age_thresholds: { 18: true } })
      })

    test(`${checksCodeHash ? 'refuses' : 'lets pass'} a token beside a code of another flow`, async () => {
      const sent = { state: 'state-of-code', nonce: 'nonce-of-code' }
      await sandbox().next({ flow: 'use', outcome: 'id_token.c_hash_wrong' })
      const answer = await visit(await library.useUrl({ ...sent, scope: 'openid svc.upgrade' }), 'child-12')
      expect(answer.searchParams.has('code')).toBe(true)
      const claims = await library.readAnswer(answer, sent).then(String, inspect)
      if (checksCodeHash) expect(claims).toContain('c_hash')
      else expect(claims).toBe('[object Object]')
    })

    test.each([
      'id_token.age_thresholds.extra',
      'id_token.age_thresholds.false_strings',
      'id_token.req_claims_hash_weaker',
    ])('lets %s pass: the claim is of this service alone, and left to the app', async (outcome) => {
      await sandbox().next({ flow: 'use', outcome })
      expect(await use('child-12')).toHaveProperty('age_thresholds')
    })

    /** A token of another sandbox, read with another code. */
    async function readWith(sandbox: Sandbox, surroundings: Omit<Surroundings, 'folder'>): Promise<unknown> {
      const library = await load(sandbox, { folder: makeScratchFolder(), ...surroundings })
      const sent = { state: 'state-1', nonce: 'nonce-1' }
      const url = await library.useUrl({ ...sent, scope: 'openid' })
      return library.readAnswer(await visit(url, 'adult-passport', sandbox.certificate?.pem), sent)
    }

    test('reads a token that is signed by ES256', async () => {
      const sandbox = await startSandbox({ signingAlg: 'ES256' })
      const claims = await readWith(sandbox, { replacements: es256 })
      expect(claims).toMatchObject({ age_thresholds: { 18: true } })
    })

    test(`reads a token over https when ${trust} names the certificate, and only then`, async () => {
      const sandbox = await startSandbox({ https: true, stateDir: makeScratchFolder() })
      const claims = await readWith(sandbox, { env: { [trust]: sandbox.certificate?.file ?? '' } })
      expect(claims).toMatchObject({ age_thresholds: { 18: true } })
      expect(await readWith(sandbox, {}).then(String, inspect)).toMatch(/certificate/i)
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
