import { get, type IncomingMessage, request } from 'node:http'
import { tagsOf } from '../support/markup.ts'

/** The page at which a browser ends. */
export interface Shown {
  readonly url: string
  readonly status: number
  readonly text: string
}

/** A browser without scripts: it follows redirects, keeps cookies by host as browsers do, and posts the form of `form_post`. */
export interface AppBrowser {
  readonly cookies: Map<string, string>
  /** Every `Set-Cookie` so far. */
  readonly received: readonly string[]
  /** Goes to a page, by a form when there is one, and wherever it leads. */
  visit(url: string, form?: URLSearchParams): Promise<Shown>
  /** One request, by a form when there is one, whose redirect is not followed. */
  send(url: string, form?: URLSearchParams): Promise<Reply>
}

interface Reply extends Shown {
  readonly location: string | undefined
}

/** What a browser goes on to: an address, with a form that it posts there. */
export type Step = readonly [url: string, form?: URLSearchParams | undefined]

/** Some outcomes put a token of 64 KB into an address. */
const HEADERS = { maxHeaderSize: 256 * 1024 }

export function createAppBrowser(): AppBrowser {
  const cookies = new Map<string, string>()
  const received: string[] = []

  async function send(url: string, form?: URLSearchParams) {
    const response = await exchange(url, [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), form)
    for (const text of response.headers['set-cookie'] ?? []) {
      received.push(text)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (isOver(text)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { statusCode: status = 0, headers } = response
    return { url, status, text: await textOf(response), location: headers.location }
  }

  return {
    cookies,
    received,
    send,
    async visit(url, form) {
      let step: Step = [url, form]
      for (let hops = 0; hops < 10; hops += 1) {
        const shown = await send(...step)
        const next = nextStep(shown, step[1])
        if (next === undefined) return shown
        step = next
      }
      throw new Error(`${url} leads round in circles`)
    },
  }
}

/** Where a page sends the browser by itself; `undefined` when it is an end. A 307 or 308 posts `sent`, the form before, on. */
export function nextStep({ url, status, text, location }: Reply, sent?: URLSearchParams): Step | undefined {
  if (location !== undefined) return [new URL(location, url).href, status === 307 || status === 308 ? sent : undefined]
  const form = status === 200 ? formOf(text) : undefined
  return form && [form.action, form.fields]
}

function exchange(url: string, cookie: string, form?: URLSearchParams): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'text/html', ...(cookie === '' ? {} : { Cookie: cookie }) }
    const fields = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const sent = form
      ? request(url, { ...HEADERS, method: 'POST', headers: { ...headers, ...fields } }, resolve).end(`${form}`)
      : get(url, { ...HEADERS, headers }, resolve)
    sent.on('error', reject)
  })
}

const isOver = (cookie: string) => {
  const expires = /; *expires=([^;]*)/i.exec(cookie)?.[1]
  return /; *max-age=(0|-\d+)( *;|$)/i.test(cookie) || (expires !== undefined && Date.parse(expires) <= Date.now())
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The form of a page that a script sends at once. */
function formOf(page: string) {
  if (!page.includes('data-submit')) return undefined
  const tags = tagsOf(page)
  const form = tags.find(({ name, attributes }) => name === 'form' && 'data-submit' in attributes)
  const fields = tags.filter(({ name, attributes }) => name === 'input' && attributes['type'] === 'hidden')
  return (
    form && {
      action: form.attributes['action'] ?? '',
      fields: new URLSearchParams(
        fields.map(({ attributes }): [string, string] => [attributes['name'] ?? '', attributes['value'] ?? '']),
      ),
    }
  )
}
