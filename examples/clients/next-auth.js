// pages/api/auth/[...nextauth].js
import NextAuth from 'next-auth'

export default NextAuth({
  secret: process.env.NEXTAUTH_SECRET,
  providers: [
    {
      id: 'age',
      name: 'Age key',
      type: 'oauth',
      wellKnown: 'http://localhost:2435/v1/oidc/use/.well-known/openid-configuration',
      clientId: 'ak_test_sandbox',
      clientSecret: 'sk_test_sandbox',
      idToken: true,
      checks: ['state', 'nonce'],
      client: { response_types: ['id_token'] },
      authorization: {
        params: {
          scope: 'openid',
          response_type: 'id_token',
          response_mode: 'query',
          claims: JSON.stringify({ age_thresholds: [18] }),
        },
      },
      profile: (claims) => ({ id: claims.sub, isAdult: claims.age_thresholds['18'] }),
    },
  ],
  callbacks: {
    jwt: ({ token, user }) => (user ? { ...token, isAdult: user.isAdult } : token),
    session: ({ session, token }) => ({ ...session, isAdult: token.isAdult }),
  },
})
