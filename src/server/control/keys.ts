import type { keyOperations } from './contract/keys.ts'
import type { Handlers } from './handler.ts'

export const keyHandlers: Pick<Handlers, keyof typeof keyOperations> = {
  async rotateKeys({ tenant, body }) {
    await tenant.rotateKeys(body.stage)
    const [{ kid }, jwks] = await Promise.all([tenant.keys.signingKey(), tenant.keys.jwks()])
    return {
      status: 200,
      body: { signing: kid, published: jwks.keys.map((key) => String(key['kid'])) },
    }
  },
}
