import type { RequestListener } from 'node:http'
import { vi } from 'vitest'
import * as z from 'zod'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { startAppServer } from '../app-server.ts'
import { importExample } from '../examples.ts'
import { auditLibrary } from './audit-library.ts'
import { installedVersion } from './installed-version.ts'

const exported = z.object({ app: z.custom<RequestListener>((value) => typeof value === 'function') })

auditLibrary({
  name: 'express-openid-connect',
  library: 'express-openid-connect',
  version: installedVersion('express-openid-connect'),
  uses: '`auth` and `requiresAuth`',
  anchor: 'express-openid-connect',
  note: 'Its `state` says where the user goes back to, and is the same in each request from the same page; `nonce` and a cookie tell the flows apart.',
  left_out: {},
  startsFresh: true,
  async start({ baseUrl }) {
    // It warns of form_post without https at each start.
    vi.spyOn(console, 'warn').mockReturnValue()
    vi.stubEnv('SESSION_SECRET', 'a secret of at least thirty-two letters')
    const { url, serve } = await startAppServer()
    const texts = {
      'http://localhost:2435': baseUrl,
      'http://localhost:3000': url,
      'response.json(request.oidc.idTokenClaims.age_thresholds)': `const isAdult = request.oidc.idTokenClaims.age_thresholds?.['18'] === true
  response.status(isAdult ? 200 : 403).send(isAdult ? 'Welcome, you are 18.' : 'No age was proved.')`,
    }
    serve(exported.parse(await importExample('express-openid-connect.js', makeScratchFolder(), texts)).app)
    return `${url}/verify`
  },
})
