/** A link to a flow. */
export interface FlowLink {
  /** The id of the flow: `f12`. */
  readonly id: string
  /** The page of the flow in the console. */
  readonly url: string
}

/** The link to a flow of the tenant at `baseUrl`. */
export const flowLink = (id: string, baseUrl: string): FlowLink => ({
  id,
  url: `${baseUrl}/_sandbox/console/flows/${id}`,
})

/**
 * Reads the id of a flow, or the URL of its page. The result has the URL of the sandbox too if the
 * text is a URL.
 * @example
 * ```ts
 * flowNamed('F12') // { id: 'f12' }
 * ```
 */
export function flowNamed(
  text: string,
): { readonly id: string; readonly url?: string } | undefined {
  const [, url, id] =
    /^(?:(https?:\/\/.+)\/_sandbox\/(?:console\/)?flows\/)?(f[1-9]\d{0,14})(?:[/?#].*)?$/i.exec(
      text,
    ) ?? []
  return id === undefined
    ? undefined
    : { id: id.toLowerCase(), ...(url === undefined ? {} : { url }) }
}

/** Maximum length of the ending in characters, so that the description has room beside it. */
const MAX_ENDING = 200

/**
 * The end of an `error_description`: ` (flow f12:
 * http://localhost:2435/_sandbox/console/flows/f12)`. Decision: the description of a refused call
 * names its flow, because apps show and log the description; the description of a forced outcome
 * does not.
 */
export function endingWith({ id, url }: FlowLink): string {
  const ending = ` (flow ${id}: ${url})`
  return ending.length > MAX_ENDING ? ` (flow ${id})` : ending
}

/** The description without the link, for a reader who already sees the flow. */
export const withoutEnding = (description: string): string =>
  description.replace(/ \(flow f\d+(?:: \S+)?\)$/, '')
