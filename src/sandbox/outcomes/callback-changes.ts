import type { Callback } from '../../oidc/callback.ts'
import type { OutcomeRow, RowAt } from './outcome-row.ts'

/** Makes a row whose callback is changed before it is sent. */
export const changedCallback =
  (flow: 'use' | 'create') =>
  (name: string, row: RowAt<'callback'>): OutcomeRow => ({ name: `callback.${name}`, flow, seam: 'callback', ...row })

/** Replaces the value of the parameter, or appends the parameter. */
export function withParam(callback: Callback, name: string, value: string): Callback {
  if (!callback.params.some(([sent]) => sent === name)) return withAnother(callback, name, value)
  return { ...callback, params: callback.params.map(([sent, was]) => [sent, sent === name ? value : was] as const) }
}

/** Adds a parameter at the end, even if the name is there already. */
export const withAnother = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [...callback.params, [name, value]],
})

/** Adds a parameter before all others: most readers of a repeated parameter take the first. */
export const withFirst = (callback: Callback, name: string, value: string): Callback => ({
  ...callback,
  params: [[name, value], ...callback.params],
})

/** Removes a parameter. */
export const withoutParam = (callback: Callback, name: string): Callback => ({
  ...callback,
  params: callback.params.filter(([sent]) => sent !== name),
})

/** The first value of a parameter. */
export const paramOf = (callback: Callback, name: string): string | undefined =>
  callback.params.find(([sent]) => sent === name)?.[1]
