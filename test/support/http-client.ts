import supertest from 'supertest'

export type { Response as Answer } from 'supertest'

/**
 * Makes requests to one server: `client.request.get('/path').expect(200)`. It follows no redirects
 * and keeps no cookies.
 */
export interface HttpClient {
  readonly request: ReturnType<typeof supertest>
}

export const createClient = (baseUrl: string): HttpClient => ({ request: supertest(baseUrl) })
