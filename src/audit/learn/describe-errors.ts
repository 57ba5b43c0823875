import type { CallRecord } from '../../client/shapes/flow.ts'

/** What the sandbox found wrong with calls of an app: rule, problem and remedy of each error. Empty without an error. */
export const describeErrors = (calls: readonly CallRecord[]): string =>
  calls
    .flatMap(({ findings }) => findings)
    .filter(({ level }) => level === 'error')
    .map(({ rule, message, hint }) => `${rule}: ${message}; ${hint}`)
    .join(' ')
