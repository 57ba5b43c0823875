/** The headers of one kind of proxy, in lowercase. */
interface ProxyHeaders {
  readonly by: string
  readonly names?: readonly string[]
  /** Prefixes of further names. Only proxies use these prefixes. */
  readonly prefixes?: readonly string[]
}

/**
 * Headers that only a proxy, a tunnel, a load balancer or a hosting platform adds to a request.
 * Names that ordinary clients send are left out: `traceparent`, `X-Request-Id`, `X-Requested-With`,
 * `X-Datadog-*`, `X-Client-Info`, `X-Auth-Token`.
 */
const PROXY_HEADERS: readonly ProxyHeaders[] = [
  // RFC 7239, RFC 9110 section 7.6.3, RFC 8586, RFC 9440, Edge Architecture Specification.
  {
    by: 'standards',
    names: ['forwarded', 'via', 'client-cert', 'client-cert-chain', 'surrogate-capability'],
    prefixes: ['cdn-'],
  },
  {
    by: 'proxies of any vendor: the address that was called',
    names: [
      'front-end-https',
      'x-https',
      'x-rewrite-url',
      'x-replaced-path',
      'x-scheme',
      'x-script-name',
      'x-url-scheme',
    ],
    prefixes: ['x-forward', 'x-original-', 'x-proxied-', 'x-proxy', 'x-real-'],
  },
  {
    by: 'proxies of any vendor: the caller',
    names: [
      'client-ip',
      'cluster-client-ip',
      'proxy-client-ip',
      'true-client-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'x-coming-from',
      'x-origin-ip',
      'x-originating-ip',
      'x-source-ip',
      'x-true-client-ip',
      'x-true-ip',
      'x-user-ip',
      'z-forwarded-for',
    ],
  },
  {
    by: 'proxies that sign users in: Authelia, Authentik, oauth2-proxy, Pomerium, Teleport',
    names: ['remote-addr', 'remote-email', 'remote-groups', 'remote-name', 'remote-user'],
    prefixes: [
      'teleport-',
      'x-auth-request-',
      'x-authentik-',
      'x-authenticated-',
      'x-pomerium-',
      'x-remote-',
      'x-ssl-client-',
      'x-webauth-',
    ],
  },
  {
    by: 'proxies by their own names: nginx, HAProxy, Envoy, Istio, Linkerd, Kong, Traefik, Varnish, Squid, WebLogic',
    names: [
      'x-anonymous-consumer',
      'x-consumer-custom-id',
      'x-consumer-id',
      'x-consumer-username',
      'x-nginx-proxy',
      'x-queue-start',
      'x-request-start',
      'x-sendfile-type',
      'x-varnish',
    ],
    prefixes: [
      'l5d-',
      'wl-proxy-',
      'x-accel-',
      'x-envoy-',
      'x-haproxy-',
      'x-ingress-',
      'x-istio-',
      'x-kong-',
      'x-squid-',
      'x-traefik-',
      'x-varnish-',
    ],
  },
  {
    by: 'tunnels and development environments: Tailscale, ngrok, dev tunnels, Codespaces, Gitpod, Replit',
    prefixes: [
      'ngrok-',
      'tailscale-',
      'x-github-',
      'x-gitpod-',
      'x-localtunnel-',
      'x-ngrok-',
      'x-replit-',
      'x-tailscale-',
      'x-tunnel-',
    ],
  },
  {
    by: 'delivery networks: Akamai, Alibaba, Bunny, Cloudflare, CloudFront, EdgeOne, Fastly, Imperva, Sucuri',
    prefixes: [
      'akamai-',
      'ali-',
      'cf-',
      'cloudfront-',
      'eo-',
      'fastly-',
      'incap-',
      'x-akamai-',
      'x-cdn-',
      'x-edgeconnect-',
      'x-fastly-',
      'x-incap-',
      'x-sucuri-',
    ],
  },
  {
    by: 'platforms: AWS, Azure, DigitalOcean, Fly.io, Google, Heroku, Netlify, Railway, Render, Vercel',
    names: ['do-connecting-ip'],
    // The tracing headers of AWS and Google count too: their load balancers add them, and few
    // programs on a developer's machine do.
    prefixes: [
      'fly-',
      'rndr-',
      'x-amz-',
      'x-amzn-',
      'x-apigateway-',
      'x-appengine-',
      'x-appgw-',
      'x-arr-',
      'x-azure-',
      'x-cloud-trace-',
      'x-fd-',
      'x-goog-',
      'x-google-',
      'x-heroku-',
      'x-ms-',
      'x-netlify-',
      'x-nf-',
      'x-railway-',
      'x-render-',
      'x-vercel-',
    ],
  },
]

// One expression for the whole table, because a request may have thousands of headers.
const PROXY_HEADER = new RegExp(
  `^(?:${[
    ...PROXY_HEADERS.flatMap(({ prefixes = [] }) => prefixes),
    ...PROXY_HEADERS.flatMap(({ names = [] }) => names).map((name) => `${name}$`),
  ].join('|')})`,
  'i',
)

/**
 * Whether only proxies send a header of this name.
 * @example
 * isProxyHeader('X-Forwarded-For') // true
 * isProxyHeader('X-Request-Id') // false
 */
export const isProxyHeader = (name: string): boolean => PROXY_HEADER.test(name)

/**
 * Whether a proxy header holds a credential, judged by its name: `X-Forwarded-Access-Token`,
 * `Cf-Access-Jwt-Assertion`.
 */
export const holdsCredential = (name: string): boolean => CREDENTIAL.test(name)

const CREDENTIAL = /assertion|authorization|cert|cookie|jwt|key|oidc|principal|secret|token/i

/**
 * Whether a proxy header holds the caller's address, judged by its name: `Forwarded`, `X-Real-IP`,
 * `CF-Connecting-IPv6`.
 */
export const namesCaller = (name: string): boolean => isProxyHeader(name) && CALLER.test(name)

const CALLER = /^forwarded$|(?:ip|ipv6|-for|-addr|-address)$/i
