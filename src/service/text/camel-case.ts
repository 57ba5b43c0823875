/** The camelCase form of a snake_case name: `base_url` becomes `baseUrl`. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/**
 * Turns a name of the config file into the name in the library.
 * @example
 * ```ts
 * camelCase('base_url') // 'baseUrl'
 * ```
 */
export const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Turns a name of the library into the name in the config file.
 * @example
 * ```ts
 * snakeCase('baseUrl') // 'base_url'
 * ```
 */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The snake_case form of a camelCase name: `baseUrl` becomes `base_url`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type SnakeCased<T> = { [K in keyof T as SnakeCase<K & string>]: T[K] }

/**
 * Copies `value` with its members renamed to snake_case. Undefined members are left out; nested
 * members keep their names.
 */
export function snakeCased<T extends object>(value: T): SnakeCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // SnakeCased states the type of the result, which Object.fromEntries loses.
  return Object.fromEntries(
    given.map(([name, member]) => [snakeCase(name), member]),
  ) as SnakeCased<T>
}

/**
 * The type of an optional member without `undefined`: `camelCased` leaves undefined members out.
 */
type CamelCased<T> = {
  [K in keyof T as CamelCase<K & string>]: object extends Pick<T, K>
    ? Exclude<T[K], undefined>
    : T[K]
}

/**
 * Copies `value` with its members renamed to camelCase. Undefined members are left out; nested
 * members keep their names.
 */
export function camelCased<T extends object>(value: T): CamelCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // CamelCased states the type of the result, which Object.fromEntries loses.
  return Object.fromEntries(
    given.map(([name, member]) => [camelCase(name), member]),
  ) as CamelCased<T>
}
