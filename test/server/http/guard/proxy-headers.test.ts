import { expect, test } from 'vitest'
import {
  holdsCredential,
  isProxyHeader,
  namesCaller,
} from '../../../../src/server/http/guard/proxy-headers.ts'

test.each([
  ...['Forwarded', 'Via', 'CDN-Loop', 'Client-Cert', 'Surrogate-Capability'],
  ...[
    'X-Forwarded-For',
    'X-Forwarded-Access-Token',
    'X-Forward-For',
    'X-Original-Forwarded-For',
    'X-Original-URL',
  ],
  ...[
    'X-Real-IP',
    'X-Real-Port',
    'X-Client-IP',
    'Client-IP',
    'X-Cluster-Client-IP',
    'True-Client-IP',
  ],
  ...[
    'X-ProxyUser-Ip',
    'X-Proxied-By',
    'X-Scheme',
    'Front-End-Https',
    'WL-Proxy-Client-IP',
    'X-NginX-Proxy',
  ],
  ...[
    'Remote-User',
    'X-Remote-User',
    'X-Auth-Request-Email',
    'X-Pomerium-Jwt-Assertion',
    'X-SSL-Client-Verify',
  ],
  ...[
    'X-Envoy-External-Address',
    'X-Envoy-Peer-Metadata',
    'l5d-client-id',
    'X-Varnish',
    'X-Request-Start',
  ],
  ...[
    'Tailscale-User-Login',
    'Tailscale-User-Name',
    'ngrok-auth-user-email',
    'X-GitHub-Codespace',
    'X-Tunnel-Id',
  ],
  ...[
    'CF-Ray',
    'CF-Connecting-IPv6',
    'CF-IPCountry',
    'CF-Visitor',
    'Cf-Access-Jwt-Assertion',
    'CloudFront-Viewer-City',
  ],
  ...[
    'Fastly-Client-IP',
    'Fastly-SSL',
    'Akamai-Origin-Hop',
    'X-Akamai-Edgescape',
    'Incap-Client-IP',
    'EO-Connecting-IP',
  ],
  ...[
    'Fly-Client-IP',
    'Fly-Region',
    'X-Azure-ClientIP',
    'X-Azure-SocketIP',
    'X-Azure-Ref',
    'X-FD-HealthProbe',
  ],
  ...[
    'X-Appgw-Trace-Id',
    'X-ARR-LOG-ID',
    'X-MS-CLIENT-PRINCIPAL',
    'X-AppEngine-User-IP',
    'X-Cloud-Trace-Context',
  ],
  ...[
    'X-Goog-IAP-JWT-Assertion',
    'X-Amzn-Trace-Id',
    'X-Amz-Cf-Id',
    'DO-Connecting-IP',
    'X-Vercel-Id',
    'X-NF-Request-ID',
  ],
])('%s counts as the header of a proxy', (name) => {
  expect(isProxyHeader(name)).toBe(true)
  expect(isProxyHeader(name.toLowerCase())).toBe(true)
})

test.each([
  ...[
    'Host',
    'User-Agent',
    'Accept',
    'Accept-Language',
    'Authorization',
    'Cookie',
    'Origin',
    'Referer',
    'Connection',
  ],
  ...[
    'Content-Type',
    'Expect',
    'Upgrade',
    'TE',
    'DNT',
    'Priority',
    'Sec-Fetch-Site',
    'Sec-CH-UA',
    'Proxy-Connection',
  ],
  ...[
    'traceparent',
    'tracestate',
    'baggage',
    'b3',
    'X-B3-TraceId',
    'X-Datadog-Trace-Id',
    'sentry-trace',
  ],
  ...[
    'X-Request-Id',
    'X-Correlation-Id',
    'X-Requested-With',
    'X-CSRF-Token',
    'X-HTTP-Method-Override',
  ],
  ...[
    'X-Client-Info',
    'X-Client-Version',
    'X-Auth-Token',
    'X-Api-Key',
    'X-User-Id',
    'Idempotency-Key',
    'Mcp-Session-Id',
  ],
  ...[
    'Postman-Token',
    'X-Sandbox-Outcome',
    'X-Sandbox-Tool',
    'Forwarded-Request',
    'Viaduct',
    'My-X-Forwarded-For',
  ],
])('%s, which a program on this machine may send, is no header of a proxy', (name) => {
  expect(isProxyHeader(name)).toBe(false)
})

test.each([
  ['Forwarded', true],
  ['X-Real-IP', true],
  ['CF-Connecting-IPv6', true],
  ['X-Original-Forwarded-For', true],
  ['X-Envoy-External-Address', true],
  ['X-Azure-ClientIP', true],
  ['X-Forwarded-Host', false],
  ['Via', false],
  ['CF-Ray', false],
])('%s names the caller of a proxy: %j', (name, expected) => {
  expect(namesCaller(name)).toBe(expected)
})

test.each([
  ['Cf-Access-Jwt-Assertion', true],
  ['X-Forwarded-Access-Token', true],
  ['X-MS-CLIENT-PRINCIPAL', true],
  ['X-Forwarded-For', false],
  ['Tailscale-User-Login', false],
])('%s holds a credential: %j', (name, expected) => {
  expect(holdsCredential(name)).toBe(expected)
})
