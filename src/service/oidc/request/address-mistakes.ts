import { percentDecoded } from './client-mistakes.ts'

/** A redirect URI after repair, and the mistakes that were repaired. */
export interface RepairedAddress {
  readonly address: string
  /**
   * What the received address differs by, such as `percent-encoding: it is encoded twice`; empty
   * when nothing was repaired.
   */
  readonly mistakes: readonly string[]
}

/** A repair, and the description of the mistake if the repair changes the address. */
type Repair = readonly [repair: (text: string) => string, mistake: string]

const REPAIRS: readonly Repair[] = [
  [(text) => text.trim(), 'blanks or line breaks around it'],
  [(text) => text.replaceAll(/^["'<]+|["'>]+$/g, ''), 'quotation marks or brackets around it'],
  [decodedOnceMore, 'percent-encoding: it is encoded twice'],
  [(text) => text.replaceAll('\\', '/'), 'its backslashes, which must be slashes'],
  [
    (text) => text.replace(/^(https?):?\/+(?=[^/])|^(https?):(?=[^/\d])/i, '$1$2://'),
    'its beginning, which must be http:// or https://',
  ],
]

/** A percent-encoded colon or slash before the first slash: the scheme itself is encoded. */
const ENCODED_SCHEME = /^[^/?#]*%(?:25)*(?:3a|2f)/i

/** Maximum number of decodings: each library on the way may encode the address once more. */
const MAX_DECODINGS = 4

function decodedOnceMore(text: string): string {
  let decoded = text
  for (let count = 0; count < MAX_DECODINGS && ENCODED_SCHEME.test(decoded); count++)
    decoded = percentDecoded(decoded)
  return decoded
}

/**
 * A host at the beginning, after optional slashes: `localhost`, `shop.example`, `[::1]`, or any
 * name with a port.
 */
const WITHOUT_SCHEME =
  /^(?::?\/\/)?(?:localhost|\[[\da-f:.]+\]|[\w-]+(?:\.[\w-]+)+|[\w.-]+(?=:\d))(?::\d+)?(?:[/?#].*)?$/is

/**
 * The addresses that the client may have meant, the most likely first. An address without a scheme
 * is completed with `http` and with `https`. An address without known mistakes is returned
 * unchanged, with an empty list.
 */
export function repairedAddresses(sent: string): readonly RepairedAddress[] {
  let address = sent
  const mistakes: string[] = []
  for (const [repair, mistake] of REPAIRS) {
    const repaired = repair(address)
    if (repaired !== address) mistakes.push(mistake)
    address = repaired
  }
  if (!WITHOUT_SCHEME.test(address)) return [{ address, mistakes }]
  const host = address.replace(/^:?\/\//, '')
  const withScheme = (scheme: string): RepairedAddress => ({
    address: `${scheme}://${host}`,
    mistakes: [
      ...mistakes,
      `the scheme: ${scheme}:${address.startsWith('//') ? '' : '//'} is missing`,
    ],
  })
  return [withScheme('http'), withScheme('https')]
}
