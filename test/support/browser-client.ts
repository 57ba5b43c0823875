import supertest from 'supertest'

/**
 * A browser with cookies and without scripts.
 * @param origin of the pages, if a proxy stands before `url`
 */
export function createBrowserClient(url: string, origin = url) {
  const agent = supertest.agent(url).set('Accept', 'text/html')
  return {
    get: async (path: string) => agent.get(path),
    submit: async (path: string, fields: Readonly<Record<string, string>>) =>
      agent
        .post(path)
        .set({ Origin: origin, 'Sec-Fetch-Site': 'same-origin' })
        .type('form')
        .send(fields),
  }
}
