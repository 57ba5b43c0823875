import { once } from 'node:events'
import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { formThatSendsItself } from '../support/forms.ts'

/** What a browser goes on to: an address, with a form that it posts there. */
export type Step = readonly [url: string, form?: URLSearchParams | undefined]

/** The answer to one request, whose redirect is not followed. */
type Reply = Readonly<
  Record<'url' | 'text', string> & { status: number; location: string | undefined }
>

export type AppBrowser = ReturnType<typeof createAppBrowser>

/**
 * A browser without scripts: it follows redirects, keeps cookies by host as browsers do, and posts
 * the form of `form_post`.
 */
export function createAppBrowser() {
  const cookies = new Map<string, string>()
  /** Every `Set-Cookie` so far. */
  const received: string[] = []

  async function send(...[url, form]: Step): Promise<Reply> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const fields = form && { 'Content-Type': 'application/x-www-form-urlencoded' }
    const headers = { Accept: 'text/html', ...(Cookie !== '' && { Cookie }), ...fields }
    const sent = request(url, { method: form ? 'POST' : 'GET', headers }).end(form?.toString())
    const [response] = await once(sent, 'response')
    for (const text of response.headers['set-cookie'] ?? []) {
      received.push(text)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (isOver(text)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      url,
      status: response.statusCode,
      text: await textOf(response),
      location: response.headers.location,
    }
  }

  /** Goes to a page, and wherever it leads. */
  async function visit(...start: Step): Promise<Reply> {
    let step = start
    for (let hops = 0; hops < 10; hops += 1) {
      const shown = await send(...step)
      const next = nextStep(shown, step[1])
      if (next === undefined) return shown
      step = next
    }
    throw new Error(`${start[0]} leads round in circles`)
  }

  return { received, send, visit }
}

/**
 * Where a page sends the browser by itself; `undefined` when it is an end. A 307 or 308 posts
 * `sent`, the form before, on.
 */
export function nextStep(
  { url, status, text, location }: Reply,
  sent?: URLSearchParams,
): Step | undefined {
  if (location !== undefined)
    return [new URL(location, url).href, status === 307 || status === 308 ? sent : undefined]
  const form =
    status === 200 && text.includes('data-submit') ? formThatSendsItself(text) : undefined
  return form && [form.action, form.fields]
}

function isOver(cookie: string): boolean {
  const expires = /; *expires=([^;]*)/i.exec(cookie)?.[1]
  return (
    /; *max-age=(0|-\d+)( *;|$)/i.test(cookie) ||
    (expires !== undefined && Date.parse(expires) <= Date.now())
  )
}
