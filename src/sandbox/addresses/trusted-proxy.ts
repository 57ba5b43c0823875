import proxyAddr from 'proxy-addr'
import { didYouMean } from '../../text/message-parts.ts'

/** Ranges by name, as Express knows them. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Why `text` names no proxies that Express can trust; `undefined` when it does. */
export function proxyProblem(text: string): string | undefined {
  // Express would read a bare number as an address; its author means a number of proxies.
  if (!/^\d+$/.test(text) && isRange(text)) return undefined
  const hint = didYouMean(text, RANGES) || ' Give an address, a range like 10.0.0.0/8, or loopback'
  return `${JSON.stringify(text)} is no address of a proxy.${hint}`
}

function isRange(text: string): boolean {
  try {
    proxyAddr.compile(text)
    return true
  } catch {
    return false
  }
}
