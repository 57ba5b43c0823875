export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
