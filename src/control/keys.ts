import * as z from 'zod'
import { json } from '../http/reply.ts'
import { ROTATION_STAGES } from '../sandbox/keys/key-ring.ts'
import { controlRoute } from './control-route.ts'

export const rotateKeysRoute = controlRoute({
  method: 'post',
  path: '/keys/rotate',
  operationId: 'rotateKeys',
  summary: 'Rotates the signing keys of this tenant in stages: publish, use, retire',
  body: z.strictObject({ stage: z.enum(ROTATION_STAGES) }),
  responses: { 200: z.object({ signing: z.string(), published: z.array(z.string()) }) },
  async handle({ tenant, body }) {
    await tenant.rotateKeys(body.stage)
    const { keys } = tenant
    const [{ kid }, jwks] = await Promise.all([keys.signingKey(), keys.jwks()])
    return json(200, { signing: kid, published: jwks.keys.map((key) => key['kid']) })
  },
})
