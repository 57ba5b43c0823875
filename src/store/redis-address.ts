const PROTOCOLS = ['redis:', 'rediss:']

/** What keeps `text` from being the address of a Redis, or `undefined`. A password in it is not repeated. */
export function storeAddressProblem(text: string): string | undefined {
  const example = 'a store looks like redis://localhost:6379, or rediss:// for TLS'
  if (!URL.canParse(text)) return `it is not a URL; ${example}`
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  if (!PROTOCOLS.includes(protocol)) return `${protocol}// is not a store; ${example}`
  if (hostname === '') return `the host is missing; ${example}`
  if (!/^\/?\d*$/.test(pathname)) return `${JSON.stringify(pathname)} is not the number of a database; ${example}/0`
  if (search !== '' || hash !== '') return `it has a query or a fragment, which mean nothing here; ${example}`
  return undefined
}

/** The address without user and password. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
