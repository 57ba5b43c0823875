import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../../src/server/create-sandbox.ts'
import { ageSignal } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** What a request is sent with, and has to come back. */
interface Sent {
  readonly state: string
  readonly nonce: string
}

/** A library that an app calls, as the page on clients shows it. What it cannot do is not there. */
export interface Library {
  useUrl(request: Sent & { readonly scope?: string }): Promise<string | URL>
  /** The claims of the token in an answer. @throws Error that says what is wrong with it */
  readAnswer(url: URL, sent: Sent): Promise<unknown>
  createUrl?(request: { readonly state: string; readonly signals: readonly unknown[] }): Promise<string | URL>
  upgrade?(request: { readonly code: string; readonly signals: readonly unknown[] }): Promise<unknown>
}

interface Refusals {
  /** What the library says of a token with another signature. */
  readonly signature: RegExp
  /** What it says of a token with the nonce of an earlier flow. */
  readonly nonce: RegExp
}

/** What a library does that can be asked for everything: the same for each language. */
export function describeLibrary(title: string, load: (sandbox: Sandbox) => Promise<Library>, refusals: Refusals): void {
  describe(title, () => {
    test('reads a good token of Use', async () => {
      const { use } = await start(load)
      expect(await use('adult-passport')).toMatchObject({ age_thresholds: { 18: true } })
      expect(await use('teen-16')).toMatchObject({ age_thresholds: { 18: false } })
    })

    test.each([
      ['id_token.signature_bit_flipped', refusals.signature],
      ['id_token.nonce_of_earlier_flow', refusals.nonce],
    ] as const)('refuses %s for that reason', async (outcome, reason) => {
      const { sandbox, use } = await start(load)
      await use('adult-passport')
      await sandbox.next({ flow: 'use', outcome })
      // What a library says is also in the causes of its error.
      const refusal = await use('adult-passport').then(String, inspect)
      expect(refusal).toMatch(reason)
    })

    test('saves an age key by a pushed request, which the next Use finds', async ({ skip }) => {
      const { library, use } = await start(load)
      if (!library.createUrl) return skip('it has no call for Create')
      const url = await library.createUrl({ state: 'state-of-create', signals: [ageSignal()] })
      const answer = await visit(url, 'no-age-key')
      expect([...answer.searchParams]).toEqual([['state', 'state-of-create']])
      expect(await use('no-age-key')).toMatchObject({ age_thresholds: { 18: true } })
    })

    test('reads a token beside a code, exchanges the code and upgrades the age key', async ({ skip }) => {
      const { library, use } = await start(load)
      if (!library.upgrade) return skip('it has no call for the token endpoint')
      const sent = { state: 'state-of-upgrade', nonce: 'nonce-of-upgrade' }
      const answer = await visit(await library.useUrl({ ...sent, scope: 'openid svc.upgrade' }), 'child-12')
      expect(await library.readAnswer(answer, sent)).toMatchObject({ age_thresholds: { 18: false } })
      const code = answer.searchParams.get('code') ?? ''
      expect(await library.upgrade({ code, signals: [ageSignal()] })).toBe('OK')
      expect(await use('child-12')).toMatchObject({ age_thresholds: { 18: true } })
    })
  })
}

async function start(load: (sandbox: Sandbox) => Promise<Library>) {
  const sandbox: TestSandbox = await startSandbox()
  const library = await load(sandbox)
  let flows = 0
  /** A whole Use flow as a persona, to the claims that the library reads. */
  async function use(persona: string): Promise<unknown> {
    flows += 1
    const sent = { state: `state-${flows}`, nonce: `nonce-${flows}` }
    return library.readAnswer(await visit(await library.useUrl(sent), persona), sent)
  }
  return { sandbox, library, use }
}

/** Sends the browser of a persona to the service: where it comes back to. */
async function visit(url: string | URL, persona: string): Promise<URL> {
  const headers = { 'X-Sandbox-Persona': persona }
  const response = await fetch(url, { headers, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? `no-redirect:${await response.text()}`)
}
