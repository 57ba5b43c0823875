import { isIP } from 'node:net'
import { didYouMean } from '../../age/nearest.ts'

/** Ranges by name, as Express knows them. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** What keeps `text` from naming proxies that may be trusted, or `undefined`. */
export function proxyProblem(text: string): string | undefined {
  if (RANGES.includes(text) || isIP(text) !== 0 || isCidr(text)) return undefined
  const hint = didYouMean(text, RANGES) || ' Give an address, a range like 10.0.0.0/8, or loopback'
  return `${JSON.stringify(text)} is no address of a proxy.${hint}`
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  return Number(bits) <= (version === 4 ? 32 : 128)
}
