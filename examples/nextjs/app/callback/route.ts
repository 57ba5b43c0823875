import { createRemoteJWKSet, jwtVerify } from 'jose'
import { NextResponse } from 'next/server'
import { asked, baseUrl, CLAIMS, clientId, create, hash, serverUrl, upgrade } from '@/lib/age'

const keys = createRemoteJWKSet(new URL(`${serverUrl}/.well-known/jwks.json`))

export async function POST(request: Request) {
  const answer = new URLSearchParams(await request.text())
  try {
    const nonce = await asked('age_use', answer)
    const answers = ['error', 'create_requested', 'id_token'].filter((name) => answer.has(name))
    if (answers.length !== 1) throw new Error('an answer is a token, a request to create or an error')
    if (answer.has('error')) return new NextResponse('No age was proved.', { status: 403 })
    if (answer.get('create_requested') === 'true') return NextResponse.redirect(await create(), 303)

    const code = answer.get('code') ?? undefined
    const { isAdult, sub } = await readToken(answer.get('id_token') ?? '', { nonce, code })
    // Every threshold failed: the age key can be upgraded with an age that your app verifies itself.
    if (code !== undefined) {
      await upgrade(code)
      return new NextResponse('Your age key says more now.')
    }
    if (!isAdult) return new NextResponse('You are not 18 yet.', { status: 403 })
    // Keep it in your own session now, and log `sub`: it names this verification if it is ever revoked.
    console.log(`18 was proved by ${sub}`)
    return new NextResponse('Welcome, you are 18.')
  } catch (error) {
    console.error(error)
    return new NextResponse('This answer cannot be trusted.', { status: 400 })
  }
}

/** What a token says that answers this request. */
async function readToken(idToken: string, { nonce, code }: { nonce?: string; code?: string }) {
  if (idToken.length > 8192) throw new Error('no id_token is that long')
  const { payload } = await jwtVerify(idToken, keys, {
    issuer: `${baseUrl}/v1/oidc/use`,
    audience: clientId,
    algorithms: ['RS256', 'ES256'],
  })
  const { sub, iat = 0, exp = Number.POSITIVE_INFINITY } = payload
  const { '18': isAdult, ...others } = payload.age_thresholds as Record<string, unknown>
  const isOurs =
    payload.nonce === nonce &&
    String(payload.aud) === clientId &&
    payload.req_claims_hash === hash(CLAIMS, 32) &&
    payload.c_hash === (code && hash(code, 16)) &&
    exp - iat <= 600 &&
    typeof sub === 'string' &&
    sub.length > 0 &&
    sub.length <= 255 &&
    typeof isAdult === 'boolean' &&
    Object.keys(others).length === 0
  if (!isOurs) throw new Error('this token answers another request')
  return { isAdult, sub }
}
