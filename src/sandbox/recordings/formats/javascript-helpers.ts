/** The end of a file of JavaScript: all that its test calls but `send`, which each test runner makes in its own way. */
export const HELPERS = `
interface Sent {
  /** Of a request by the browser. */
  query?: [string, string][]
  accept?: string
  /** Of a call by the server. */
  form?: [string, string][]
  json?: object
  authorization?: string
}

interface Answer {
  status: number
  location: string
  text: string
}

/** What the browser brings to the app: in the fragment or the query of an address, or as the fields of a form. */
function callbackIn({ location, text }: Answer, place: 'fragment' | 'query' | 'form'): URLSearchParams {
  if (place === 'fragment') return new URLSearchParams(location.split('#')[1])
  if (place === 'query') return new URL(location).searchParams
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  // As the journal keeps them: of a field that comes twice the last one.
  return new URLSearchParams(Object.fromEntries(fields.map(([, name = '', value = '']) => [plain(name), plain(value)])))
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const plain = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)

/** What the id_token says; an app validates it first. */
function thresholdsIn(callback: URLSearchParams): unknown {
  const [, payload = ''] = (callback.get('id_token') ?? '').split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).age_thresholds
}

const basic = (secret: string) => \`Basic \${Buffer.from(\`\${client.clientId}:\${secret}\`).toString('base64')}\`
`
