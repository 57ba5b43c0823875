import { proxyProblem } from '../../sandbox/addresses/trusted-proxy.ts'
import {
  basePathProblem,
  baseUrlProblem,
  internalUrlProblem,
  normalizeBaseUrl,
} from '../../sandbox/addresses/web-address.ts'
import {
  listOrOne,
  nonEmpty,
  parseBoolean,
  parseCommas,
  parseNumber,
  type Setting,
  textWithout,
  trueOrFalse,
  wholeNumber,
} from './setting.ts'

/** The settings about where a sandbox listens and how it is reached. */
export const ADDRESS_SETTINGS = {
  port: {
    schema: wholeNumber('a port (0 to 65535)', { from: 0, to: 65_535 }),
    flag: { short: '-p', argument: '<number>', parse: parseNumber, shown: 'daily' },
    help: 'port to listen on; 0 takes a free one (default: 2435)',
    option: 'Port to listen on; 0 (the default) takes a free one',
    about: 'Where it listens. Port 0 takes a free one; a host other than 127.0.0.1 opens it to the network.',
    example: '2435',
  },
  host: {
    schema: nonEmpty,
    flag: { argument: '<address>', shown: 'daily' },
    help: 'address to listen on (default: 127.0.0.1, only this machine)',
    example: '127.0.0.1',
  },
  baseUrl: {
    schema: textWithout(baseUrlProblem).transform(normalizeBaseUrl),
    flag: { argument: '<url>', shown: 'daily' },
    help: 'address under which relying parties reach it (default: http://localhost:PORT)',
    about: 'The address under which relying parties reach it, when that differs from where it listens.',
    example: 'http://localhost:2435',
  },
  basePath: {
    schema: textWithout(basePathProblem),
    flag: { argument: '<path>', shown: 'none' },
    help: 'path of the base URL, when the rest of it is the default: /agekey',
    about: 'Or only its path.',
    example: '/agekey',
  },
  internalUrl: {
    schema: textWithout(internalUrlProblem).transform(normalizeBaseUrl),
    flag: { argument: '<url>' },
    help: 'address by which servers reach it, when browsers use another one',
    about: `The address by which the servers of your app reach it, when that is another one, such as the name of a container. Discovery
names it to callers that use it; the issuer stays. trust_host: true does the same for every name that a server calls by.`,
    example: 'http://agekey-sandbox:2435',
  },
  trustHost: {
    schema: trueOrFalse,
    flag: { parse: parseBoolean, shown: 'none' },
    help: 'discovery names the addresses under the host that a server calls by, whatever it is',
    example: 'false',
  },
  trustProxy: {
    schema: listOrOne(textWithout(proxyProblem)),
    flag: { argument: '<address...>', parse: parseCommas },
    help: 'proxies whose X-Forwarded- headers count: addresses or CIDR ranges',
    about:
      'Proxies whose X-Forwarded-For, -Proto and -Host headers count: addresses, CIDR ranges, or loopback, linklocal, uniquelocal.',
    example: '[10.0.0.0/8]',
  },
  https: {
    schema: trueOrFalse,
    flag: { parse: parseBoolean },
    help: 'serves https, with a self-signed certificate that it keeps and whose file it prints',
    option: 'Serves https, with a self-signed certificate unless `httpsCert` and `httpsKey` name PEM files',
    about: 'Serves https: with a self-signed certificate that is kept in the state folder, or with your own.',
    example: 'false',
  },
  httpsCert: {
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>' },
    help: 'PEM file of your own certificate, with --https-key',
    example: './certificate.pem',
  },
  httpsKey: {
    schema: nonEmpty,
    isPath: true,
    flag: { argument: '<file>' },
    help: 'PEM file of its private key',
    example: './key.pem',
  },
} satisfies Readonly<Record<string, Setting>>
