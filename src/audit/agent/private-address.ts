import { BlockList, isIP } from 'node:net'

const RANGES = new BlockList()
for (const [net, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  RANGES.addSubnet(net, prefix)
}
RANGES.addAddress('::1', 'ipv6')
RANGES.addSubnet('fc00::', 7, 'ipv6')
RANGES.addSubnet('fe80::', 10, 'ipv6')

/** Top-level names that no public DNS serves (RFC 6761, RFC 6762, ICANN's `.internal`). */
const PRIVATE_SUFFIXES: readonly string[] = ['localhost', 'local', 'test', 'internal']

/**
 * Whether the host of a URL is on this machine or in a private network: a loopback, private or link-local address, a name without a
 * dot as those of Docker services, or a name below a suffix that is never public. The name alone is judged: nothing is looked up.
 */
export function isPrivateAddress(url: string | URL): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const version = isIP(host)
  // The list compares an IPv4 address in IPv6 form (`::ffff:10.0.0.1`) with the IPv4 ranges.
  if (version !== 0) return RANGES.check(host, version === 6 ? 'ipv6' : 'ipv4')
  const labels = host.split('.')
  return host !== '' && (labels.length === 1 || PRIVATE_SUFFIXES.includes(labels.at(-1) ?? ''))
}
