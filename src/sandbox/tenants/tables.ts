/**
 * Where a tenant keeps what is changed at run time: personas, expectations, scenarios, settings. Values are JSON and stay
 * until they are removed; a shared adapter lets several processes act as one sandbox.
 *
 * Concurrency duty: `add` and `update` are one step each; of two callers that add the same id, one succeeds.
 */
export interface Tables {
  get(table: string, id: string): Promise<unknown>
  /** In the order in which the ids were first put. */
  list(table: string): Promise<readonly (readonly [id: string, value: unknown])[]>
  put(table: string, id: string, value: unknown): Promise<void>
  /** Puts it unless the id is taken: `false` then. */
  add(table: string, id: string, value: unknown): Promise<boolean>
  /**
   * Puts what `change` makes of the value; `undefined` removes it.
   * @param change pure: it may be called again when another caller was faster.
   * @returns what was put.
   */
  update<Value>(table: string, id: string, change: (value: unknown) => Value): Promise<Value>
  /** `false` when there was none. */
  remove(table: string, id: string): Promise<boolean>
  clear(): Promise<void>
}
