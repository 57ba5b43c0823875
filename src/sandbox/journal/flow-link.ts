/** Where a flow can be read. */
export interface FlowLink {
  /** `f12`. */
  readonly id: string
  /** Its page in the console. */
  readonly url: string
}

/** The link to a flow of the tenant at `baseUrl`. */
export const flowLink = (id: string, baseUrl: string): FlowLink => ({
  id,
  url: `${baseUrl}/_sandbox/console/flows/${id}`,
})

/**
 * The flow that a text names: `f12` in any case, or the URL of its page, together with the URL of
 * its sandbox.
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

/** Characters of the ending, at most: the description needs room beside it. */
const MAX_ENDING = 200

/**
 * ` (flow f12: http://localhost:2435/_sandbox/console/flows/f12)`: the end of an
 * `error_description`. Decision: a refused call names its flow, because the description is what
 * apps show and log; what an outcome decides does not.
 */
export function endingWith({ id, url }: FlowLink): string {
  const ending = ` (flow ${id}: ${url})`
  return ending.length > MAX_ENDING ? ` (flow ${id})` : ending
}

/** The description without the link, for a reader who has the flow open. */
export const withoutEnding = (description: string): string =>
  description.replace(/ \(flow f\d+(?:: \S+)?\)$/, '')
