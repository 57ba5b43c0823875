import * as z from 'zod'
import { ROTATION_STAGES } from '../../../sandbox/keys/key-ring.ts'
import { type Operation, POST } from './operation.ts'

export const keyOperations = {
  rotateKeys: {
    ...POST,
    path: '/keys/rotate',
    summary:
      'Rotates the signing keys of this tenant in stages: publish, use, retire; withdraw removes what an outcome published',
    body: z.strictObject({ stage: z.enum(ROTATION_STAGES) }),
    result: z.object({ signing: z.string(), published: z.array(z.string()) }),
  },
} as const satisfies Record<string, Operation>
