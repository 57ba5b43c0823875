import { ENDPOINT_IDS, ENDPOINTS, type EndpointId, endpointPath } from '../../oidc/endpoints.ts'
import { BRAND, BRANDS, type Brand, describeBrand, type Profile } from '../../oidc/rules/profile.ts'
import { nearest } from '../../text/message-parts.ts'
import type { RouteRow } from '../handler.ts'

/** What is served instead of a path that is not. */
interface Served {
  readonly profile: Profile
  readonly brand: Brand
  /** The address of the tenant for this caller. */
  readonly baseUrl: string
  readonly routes: readonly Pick<RouteRow, 'path' | 'method'>[]
}

/** Where the thing is that a path is probably meant to be, in sentences; what there is when the path resembles nothing. */
export function rightPlace(path: string, served: Served): string {
  const parts = path.split('/').filter((part) => part !== '')
  const words = parts.map((part) => part.toLowerCase())
  const absent = words.map((word) => ABSENT.get(word)).find((reason) => reason !== undefined)
  if (absent !== undefined) return absent
  const endpoints = words[0] === '_sandbox' ? [] : endpointsMeant(words)
  if (endpoints.length === 0) return similarPlace(parts, served) ?? everyPlace(served)
  const places = endpoints.map((id) => {
    const { number, title, method } = ENDPOINTS[id]
    return `${number} (${title}): ${method.toUpperCase()} ${served.baseUrl}${endpointPath(id, served.brand)}`
  })
  const differences = differencesOf(
    path,
    endpoints.map((id) => endpointPath(id, served.brand)),
  )
  return `${places.join('; ')}${differences}.${otherBrand(path, words, served)}`
}

/** What other providers serve and this service does not. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ['userinfo', 'There is no userinfo endpoint: all that the service says of a user stands in the id_token.'],
  ['introspect', 'There is no introspection endpoint: the access token is opaque and serves the upgrade call alone.'],
  ['revoke', 'There is no revocation endpoint: the access token expires by itself.'],
  ['logout', 'There is no session to end: each flow stands alone.'],
  [
    'register',
    'There is no dynamic registration: declare clients in the config file, or by PUT /_sandbox/tenants/NAME.',
  ],
  ['callback', 'The callback is a page of your app: send its full address as redirect_uri.'],
])

const FLOWS: readonly string[] = ['use', 'create']

/** The endpoints that the words of a path mean; of several those of the flow that is named. */
function endpointsMeant(words: readonly string[]): readonly EndpointId[] {
  const known = ENDPOINT_IDS.flatMap(wordsOf)
  const last = words.at(-1) ?? ''
  const own = words.findLast((word) => known.includes(word) && !FLOWS.includes(word))
  const word = own ?? (FLOWS.includes(last) ? last : nearest(last, known)[0])
  const meant = ENDPOINT_IDS.filter((id) => word !== undefined && wordsOf(id).includes(word))
  const ofFlow = meant.filter((id) => words.some((flow) => FLOWS.includes(flow) && belongsTo(id, flow)))
  return ofFlow.length > 0 ? ofFlow : meant
}

const wordsOf = (id: EndpointId): readonly string[] => ENDPOINTS[id].words

const belongsTo = (id: EndpointId, flow: string) => ENDPOINTS[id].path.split('/').includes(flow)

/** What alone is wrong with a path that is nearly right. */
function differencesOf(path: string, rightPaths: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const right = rightPaths.find((one) => plain(one) === plain(path))
  if (right === undefined) return ''
  const differences = [
    ...(/\/{2}/.test(path) ? ['without doubled slashes'] : []),
    ...(path.endsWith('/') ? ['without the slash at the end'] : []),
    ...(path === path.toLowerCase() ? [] : ['in lowercase']),
  ]
  return ` (${differences.join(', ')})`
}

/** A path may have another brand word. */
function otherBrand(path: string, words: readonly string[], { profile, brand }: Served): string {
  const other = BRANDS.find((one) => one !== brand && words.includes(one))
  if (other === undefined) return ''
  const [its, own] = [other, brand].map((word) => describeBrand(word, { profile, brand }))
  const remedy = brand === BRAND[profile] ? `start it with --${its}` : `set the reading brand_word=${other}`
  return ` This sandbox runs with ${own}: ${remedy} to serve ${path}.`
}

/** A page or call of the sandbox itself whose path is nearly the same. */
function similarPlace(parts: readonly string[], { baseUrl, routes }: Served): string | undefined {
  const [first = '', ...others] = parts
  const below = nearest(first, ['_sandbox']).length > 0 ? others : parts
  const meant = [
    ['_sandbox', ...below],
    ['_sandbox', 'console', ...below],
  ]
  const [path] = [...new Set(routes.map((route) => route.path))].filter((one) =>
    meant.some((parts) => isSimilar(parts, one.split('/').slice(1))),
  )
  if (path === undefined) return undefined
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase())
  return `${methods.join(', ')} ${baseUrl}${path}.`
}

const isSimilar = (parts: readonly string[], pattern: readonly string[]) =>
  parts.length === pattern.length &&
  pattern.every((part, index) => part.startsWith(':') || nearest(parts[index] ?? '', [part]).length > 0)

function everyPlace({ baseUrl, brand }: Served): string {
  const places = Object.values(ENDPOINTS).map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace('{brand}', brand)}`,
  )
  return `Served below ${baseUrl}: ${places.join(', ')}; the sandbox itself: / (pages), /_sandbox/openapi.json (calls), /_sandbox/docs (documents).`
}
