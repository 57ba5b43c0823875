import type { Page as Tab } from 'playwright-core'
import { callOf, PAGE_SCRIPT, type Stored } from './page-script.ts'

/** What pages of one browser stored: its tabs are closed after each visit, and a session storage ends with its tab. */
export interface Shelf {
  /** Takes what the last page of a visit stores, and what was there before the answer of the sandbox came. */
  keep(stored: Stored | undefined, atCallback: Stored | undefined): void
  /** Removes what was stored after the answer came: the proof. What was there before, such as the request, stays. */
  forgetProof(): void
  /** Gives a new tab what was kept. */
  putBack(tab: Tab): Promise<void>
}

export function createShelf(): Shelf {
  let kept: Stored | undefined
  let proof: { readonly local: readonly string[]; readonly session: readonly string[] } = { local: [], session: [] }
  let gone: readonly string[] = []
  return {
    keep(stored, atCallback) {
      if (!stored) return
      kept = stored
      const before = atCallback?.origin === stored.origin ? atCallback : { local: {}, session: {} }
      const namesIn = (kind: 'local' | 'session') =>
        atCallback ? changedNames(new Map(Object.entries(before[kind])), new Map(Object.entries(stored[kind]))) : []
      proof = { local: namesIn('local'), session: namesIn('session') }
    },
    forgetProof() {
      if (!kept) return
      const session = Object.entries(kept.session).filter(([name]) => !proof.session.includes(name))
      kept = { ...kept, session: Object.fromEntries(session) }
      gone = proof.local
    },
    async putBack(tab) {
      if (!kept || (Object.keys(kept.session).length === 0 && gone.length === 0)) return
      const everything = '**/*'
      await tab.route(everything, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
      await tab.goto(kept.origin)
      await tab.evaluate(`${PAGE_SCRIPT}; ${callOf('restore', { local: gone, session: kept.session })}`)
      await tab.unroute(everything)
      gone = []
    },
  }
}

/** The names of what is new, or has another value than before. */
export const changedNames = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] => [...new Set([...after].filter(([key, value]) => before.get(key) !== value).map(([key]) => key))]
