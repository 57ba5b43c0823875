import type { Changes } from '../../support/express-example.ts'

/** The Express example with one check less. */
export interface BrokenApp {
  /** What it does wrong: `compares no state`. */
  readonly name: string
  /** The rows that it lets in, and no others; `*` is any text. */
  readonly finds: readonly string[]
  readonly changes: Changes
}
