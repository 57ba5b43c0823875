import type { Answer, HttpClient } from './http-client.ts'

/** A browser without scripts, as far as a session goes: it keeps cookies, and a form is sent from the page's own origin. */
export interface BrowserClient {
  get(path: string): Promise<Answer>
  submit(path: string, fields: Readonly<Record<string, string>>): Promise<Answer>
}

export function createBrowserClient(http: HttpClient, origin: string): BrowserClient {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await http.send(path, { ...init, headers: { ...init.headers, Accept: 'text/html', Cookie: cookie } })
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  return {
    get: (path) => send(path, {}),
    submit: (path, fields) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
      }),
  }
}
