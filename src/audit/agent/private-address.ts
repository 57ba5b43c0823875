import { BlockList, isIPv4, isIPv6 } from 'node:net'

const NETWORKS = '127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 ::1/128 fc00::/7 fe80::/10'
const PRIVATE = new BlockList()
for (const network of NETWORKS.split(' ')) {
  const [address = '', prefix] = network.split('/')
  PRIVATE.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
}
/** A name without a dot as those of Docker, or below a top-level name that no public DNS serves (RFC 6761, RFC 6762, ICANN). */
const PRIVATE_NAME = /^(?:[^.]+|.*\.(?:localhost|local|test|internal))$/

/** Whether the host of a URL is on this machine or in a private network, by its name alone: nothing is looked up. */
export function isPrivateAddress(url: string | URL): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  // The list compares an IPv4 address in IPv6 form (`::ffff:10.0.0.1`) with the IPv4 networks.
  return isIPv6(host) ? PRIVATE.check(host, 'ipv6') : isIPv4(host) ? PRIVATE.check(host) : PRIVATE_NAME.test(host)
}
