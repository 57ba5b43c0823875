import { appUrl, ask, baseUrl, CLAIMS, clientId } from '@/lib/age'

export async function GET() {
  const query = new URLSearchParams({
    ...(await ask('age_use')),
    client_id: clientId,
    redirect_uri: `${appUrl}/callback`,
    scope: 'openid svc.upgrade',
    response_type: 'id_token',
    response_mode: 'form_post', // A POST keeps the token out of logs of addresses.
    claims: CLAIMS,
    can_create: 'true',
  })
  return Response.redirect(`${baseUrl}/v1/oidc/use?${query}`)
}
