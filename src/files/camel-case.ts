/** `base_url` becomes `baseUrl`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** A name of the config file under the name that the library uses: `base_url` becomes `baseUrl`. */
export const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** A name of the library under the name that the config file uses: `baseUrl` becomes `base_url`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `baseUrl` becomes `base_url`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type SnakeCased<T> = { [K in keyof T as SnakeCase<K & string>]: T[K] }

/** The members of `value` in snake_case, without those that are undefined. Members of members keep their names. */
export function snakeCased<T extends object>(value: T): SnakeCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // SnakeCased says in types what this line does; Object.fromEntries forgets the keys.
  return Object.fromEntries(given.map(([name, member]) => [snakeCase(name), member])) as SnakeCased<T>
}

/** A member that may be left out is not undefined when it is there. */
type CamelCased<T> = {
  [K in keyof T as CamelCase<K & string>]: object extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]
}

/** The members of `value` in camelCase, without those that are undefined. Members of members keep their names. */
export function camelCased<T extends object>(value: T): CamelCased<T> {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  // CamelCased says in types what this line does; Object.fromEntries forgets the keys.
  return Object.fromEntries(given.map(([name, member]) => [camelCase(name), member])) as CamelCased<T>
}
