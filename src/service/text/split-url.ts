/**
 * Splits a URL into its address and the parameters of its query and its fragment, in this order: a
 * `redirect_uri` may have a query of its own before the fragment of a callback.
 * @example splitUrl('http://a.example/cb?shop=1#state=x').parameters // [['shop', '1'], ['state', 'x']]
 */
export function splitUrl(url: string): {
  readonly address: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
} {
  const [beforeFragment = '', fragment = ''] = url.split(/#(.*)/s)
  const [address = '', query = ''] = beforeFragment.split(/\?(.*)/s)
  return { address, parameters: [...new URLSearchParams(query), ...new URLSearchParams(fragment)] }
}
