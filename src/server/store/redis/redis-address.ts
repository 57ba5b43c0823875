/** The address of a Redis or Valkey server: TCP, TLS, or a Unix socket. */
export interface StoreAddress {
  /** The address without user and password. */
  readonly shown: string
  readonly isTls: boolean
  /** The options for the client library. */
  readonly connection:
    | { url: string }
    | { path: string; database: number; username?: string; password?: string }
}

const EXAMPLE =
  'a store looks like redis://localhost:6379, rediss:// for TLS (or valkey://, valkeys://), or unix:///run/redis.sock'

/**
 * Why `text` is not the address of a Redis or Valkey server; `undefined` for a valid address. The
 * message contains no password.
 * @example
 * storeAddressProblem('redis://localhost:6379/0') // undefined
 */
export function storeAddressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return `it is not a URL; ${EXAMPLE}`
  const address = new URL(text)
  if (address.protocol === 'unix:') return socketProblem(address)
  const { protocol, hostname, pathname, search, hash } = address
  if (!Object.hasOwn(TCP, protocol)) return `${protocol}// is not a store; ${EXAMPLE}`
  if (hostname === '') return `the host is missing; ${EXAMPLE}`
  if (!/^\/?\d*$/.test(pathname)) {
    return `${JSON.stringify(pathname)} is not the number of a database; it is written redis://localhost:6379/0`
  }
  if (search !== '' || hash !== '')
    return `it has a query or a fragment, which mean nothing here; ${EXAMPLE}`
  return undefined
}

/**
 * Parses a valid address (see `storeAddressProblem`).
 * @example
 * parseStoreAddress('rediss://user:secret@cache.example').shown // 'rediss://cache.example'
 */
export function parseStoreAddress(text: string): StoreAddress {
  const { protocol, host, pathname, searchParams } = new URL(text)
  if (protocol !== 'unix:') {
    const shown = `${protocol}//${host}${pathname === '/' ? '' : pathname}`
    const isTls = TCP[protocol] === 'rediss:'
    return {
      shown,
      isTls,
      connection: { url: text.replace(/^[a-z]+:/i, TCP[protocol] ?? 'redis:') },
    }
  }
  const path = decodeURIComponent(pathname)
  const [database, username, password] = SOCKET_OPTIONS.map((name) => searchParams.get(name))
  return {
    shown: `unix://${path}${database ? `?db=${database}` : ''}`,
    isTls: false,
    connection: {
      path,
      database: Number(database ?? 0),
      ...(username ? { username } : {}),
      ...(password ? { password } : {}),
    },
  }
}

/** The schemes of TCP addresses, with the scheme that the client library knows. */
const TCP: Readonly<Record<string, string>> = {
  'redis:': 'redis:',
  'rediss:': 'rediss:',
  'valkey:': 'redis:',
  'valkeys:': 'rediss:',
}

const SOCKET_OPTIONS = ['db', 'username', 'password'] as const

function socketProblem({ hostname, pathname, searchParams, hash }: URL): string | undefined {
  const example = 'a socket file is written unix:///run/redis.sock, with ?db=1 for another database'
  if (hostname !== '' || pathname.length < 2)
    return `the path must be absolute, after three slashes; ${example}`
  if (!isDecodable(pathname))
    return `the path has a percent sign that begins no escape; write it %25; ${example}`
  const unknown = [...searchParams.keys()].find(
    (name) => !SOCKET_OPTIONS.some((known) => known === name),
  )
  if (unknown !== undefined) {
    return `${JSON.stringify(unknown)} in the query means nothing here; it may name ${SOCKET_OPTIONS.join(', ')}`
  }
  const database = searchParams.get('db') ?? '0'
  if (!/^\d+$/.test(database))
    return `db ${JSON.stringify(database)} is not the number of a database; ${example}`
  return hash === '' ? undefined : `it has a fragment, which means nothing here; ${example}`
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
