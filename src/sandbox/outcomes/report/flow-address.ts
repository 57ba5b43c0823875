/** The page of a flow in the console at `address`. */
export function flowAddress(address: string, id: string): string {
  // Half of a surrogate pair cannot stand in a URL.
  return `${address.replace(/\/$/, '')}/flows/${encodeURIComponent(id.replace(/\p{Cs}/gu, '\ufffd'))}`
}
