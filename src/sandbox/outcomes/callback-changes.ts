import type { Callback } from '../../oidc/callback.ts'
import type { OutcomeRow, RowAt } from './outcome-row.ts'

/** A flow whose callback is changed before it is sent. */
export const changedCallback =
  (flow: 'use' | 'create') =>
  (name: string, row: RowAt<'callback'>): OutcomeRow => ({ name: `callback.${name}`, flow, seam: 'callback', ...row })

/** Replaces the value of the parameter, or appends the parameter. */
export function withParam(callback: Callback, name: string, value: string): Callback {
  if (!callback.params.some(([sent]) => sent === name)) return withAnother(callback, name, value)
  return { ...callback, params: callback.params.map(([sent, was]) => [sent, sent === name ? value : was] as const) }
}

/** With one more parameter at the end, also when there is one of this name. */
export const withAnother = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [...callback.params, [name, value]],
})

/** With one more parameter before all others: the one that most readers of a repeated parameter take. */
export const withFirst = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [[name, value], ...callback.params],
})

/** Without a parameter. */
export const withoutParam = (callback: Callback, name: string): Callback => ({
  ...callback,
  params: callback.params.filter(([sent]) => sent !== name),
})

/** The first value of a parameter. */
export const paramOf = (callback: Callback, name: string): string | undefined =>
  callback.params.find(([sent]) => sent === name)?.[1]
