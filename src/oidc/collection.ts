import type * as z from 'zod'
import type { Store } from './ports.ts'

/** What the records of one kind are called in a store, and what each of them is: the schema gives the type. */
export interface RecordKind<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /** They wait for a user or a client that may never come: the first to go when there is no room. */
  readonly isUnfinished?: true
}

/** The records of one kind in a store. Reading throws an Error for a damaged record. */
export interface Collection<Value> {
  /** @param expiresAt milliseconds of the sandbox clock */
  put(id: string, value: Value, expiresAt: number): Promise<void>
  get(id: string): Promise<Value | undefined>
  /** Returns and removes the record in one step: of two callers exactly one receives it. */
  take(id: string): Promise<Value | undefined>
}

/** The records of one kind, parsed by their schema when they are read. */
export function collection<Value>(store: Store, kind: RecordKind<Value>): Collection<Value> {
  const parse = (value: unknown) => (value === undefined ? undefined : parseRecord(kind, value))
  return {
    put: (id, value, expiresAt) => store.put(kind.name, id, value, expiresAt, kind),
    get: async (id) => parse(await store.get(kind.name, id)),
    take: async (id) => parse(await store.take(kind.name, id)),
  }
}

/**
 * The record that a store gave back.
 * @throws Error when it is damaged; the message names kind and member, and repeats no value: a record may hold secrets
 */
export function parseRecord<Value>({ name, schema }: RecordKind<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [first] = parsed.error.issues
  const member = first?.path.length ? ` at ${first.path.map(String).join('.')}` : ''
  throw new Error(
    `store: a ${name} record is damaged${member}: ${first?.message}; reset the tenant, or empty the store and start again`,
  )
}
