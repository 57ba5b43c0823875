import { NextResponse } from 'next/server'
import { appUrl, ask, baseUrl, CLAIMS, clientId } from '@/lib/age'

export const dynamic = 'force-dynamic'

export async function GET() {
  const query = new URLSearchParams({
    scope: 'openid svc.upgrade',
    response_type: 'id_token',
    // The answer comes in the body of a POST, so that no token stands in a log of addresses.
    response_mode: 'form_post',
    client_id: clientId,
    redirect_uri: `${appUrl}/callback`,
    ...(await ask('age_use')),
    claims: CLAIMS,
    can_create: 'true',
  })
  return NextResponse.redirect(`${baseUrl}/v1/oidc/use?${query}`)
}
