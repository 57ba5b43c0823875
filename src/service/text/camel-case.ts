/** `base_url` becomes `baseUrl`. */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The name in the library of a name in the config file: `base_url` becomes `baseUrl`. */
export const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The name in the config file of a name in the library: `baseUrl` becomes `base_url`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `baseUrl` becomes `base_url`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type SnakeCased<T> = { [K in keyof T as SnakeCase<K & string>]: T[K] }

/**
 * The members of `value` in snake_case, without those that are undefined. Members of members keep
 * their names.
 */
export function snakeCased<T extends object>(value: T): SnakeCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // SnakeCased states the type of the result, which Object.fromEntries loses.
  return Object.fromEntries(
    given.map(([name, member]) => [snakeCase(name), member]),
  ) as SnakeCased<T>
}

/** An optional member is not undefined when it is present. */
type CamelCased<T> = {
  [K in keyof T as CamelCase<K & string>]: object extends Pick<T, K>
    ? Exclude<T[K], undefined>
    : T[K]
}

/**
 * The members of `value` in camelCase, without those that are undefined. Members of members keep
 * their names.
 */
export function camelCased<T extends object>(value: T): CamelCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // CamelCased states the type of the result, which Object.fromEntries loses.
  return Object.fromEntries(
    given.map(([name, member]) => [camelCase(name), member]),
  ) as CamelCased<T>
}
