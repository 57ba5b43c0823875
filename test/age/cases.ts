import { readFileSync } from 'node:fs'
import type * as z from 'zod'

/** The cases of a JSON file beside the tests. It is read as text, so that a member `__proto__` and the number 1e400 arrive as sent. */
export function readCases<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')))
}

/** Rows for `it.each`: `%s` in the title is the whole name of the case. */
export function named<Case extends { readonly name: string }>(cases: readonly Case[]): [string, Case][] {
  return cases.map((one) => [one.name, one])
}
