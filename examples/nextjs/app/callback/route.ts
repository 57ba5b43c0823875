import { createRemoteJWKSet, jwtVerify } from 'jose'
import { asked, baseUrl, CLAIMS, clientId, create, hash, serverUrl, upgrade } from '@/lib/age'

const keys = createRemoteJWKSet(new URL(`${serverUrl}/.well-known/jwks.json`))

export async function POST(request: Request) {
  const answer = new URLSearchParams(await request.text())
  try {
    const nonce = await asked('age_use', answer)
    const answers = ['error', 'create_requested', 'id_token'].filter((name) => answer.has(name))
    if (answers.length !== 1)
      throw new Error('an answer is a token, a request to create or an error')
    if (answer.has('error')) return new Response('No age was proved.', { status: 403 })
    if (answer.get('create_requested') === 'true') return Response.redirect(await create(), 303)

    const code = answer.get('code') ?? undefined
    const { isAdult, sub } = await readToken(answer.get('id_token') ?? '', { nonce, code })
    // Every threshold failed: the age key can be upgraded with an age that your app verifies itself.
    if (code !== undefined) return new Response(await upgrade(code))
    if (!isAdult) return new Response('You are not 18 yet.', { status: 403 })
    // Keep it in your own session now, and log `sub`: it names this verification if it is ever revoked.
    console.log(`18 was proved by ${sub}`)
    return new Response('Welcome, you are 18.')
  } catch (error) {
    console.error(error)
    return new Response('This answer cannot be trusted.', { status: 400 })
  }
}

/** What a token says that answers this request. */
async function readToken(idToken: string, { nonce, code }: { nonce?: string; code?: string }) {
  if (idToken.length > 8192) throw new Error('no id_token is that long')
  const options = {
    issuer: `${baseUrl}/v1/oidc/use`,
    audience: clientId,
    algorithms: ['RS256', 'ES256'],
  }
  const { payload } = await jwtVerify(idToken, keys, options)
  const { sub, iat = 0, exp = Number.POSITIVE_INFINITY } = payload
  const thresholds = JSON.stringify(payload.age_thresholds)
  const isOurs =
    payload.nonce === nonce &&
    String(payload.aud) === clientId &&
    exp - iat <= 600 &&
    typeof sub === 'string' &&
    /^.{1,255}$/s.test(sub) &&
    payload.req_claims_hash === hash(CLAIMS, 32) &&
    payload.c_hash === (code && hash(code, 16)) &&
    ['{"18":true}', '{"18":false}'].includes(thresholds)
  if (!isOurs) throw new Error('this token answers another request')
  return { isAdult: thresholds === '{"18":true}', sub }
}
