import * as z from 'zod'
import type { Sandbox } from '../../../src/server/create-sandbox.ts'
import { makeScratchFolder } from '../../docs/scratch-folder.ts'
import { startAppServer } from '../app-server.ts'
import type { Library } from '../describe-library.ts'
import { importExample, type Replacements } from '../examples.ts'
import { auditLibrary } from './audit-library.ts'
import { installedVersion } from './installed-version.ts'
import { createStepApp } from './step-app.ts'

const callable = <T>() => z.custom<T>((value) => typeof value === 'function')
const exported = z.object({
  useUrl: callable<Library['useUrl']>(),
  readAnswer: callable<Library['readAnswer']>(),
  createUrl: callable<Library['createUrl']>(),
  upgrade: callable<Library['upgrade']>(),
})

/** Starts an app around a block of the page on clients. */
const startBlock =
  (name: string, names: Replacements = {}) =>
  async ({ baseUrl }: Sandbox) => {
    const { url, serve } = await startAppServer()
    const texts = {
      'http://localhost:2435': baseUrl,
      'http://localhost:3000': url,
      "response_mode: 'query',": "response_mode: 'query', can_create: 'true',",
      ...names,
    }
    serve(createStepApp(exported.parse(await importExample(name, makeScratchFolder(), texts))))
    return `${url}/verify`
  }

const left_out = {
  'family:response_mode': 'the app reads the answer by itself where it asked for it, and gives it to the library',
  'flow:create': 'the answer of Create has no token and no code, and the app reads it by itself',
  'flow:upgrade': 'the reply is one of an API, and the app reads it by itself',
}

auditLibrary({
  name: 'openid-client',
  library: 'openid-client 6',
  version: installedVersion('openid-client'),
  uses: '`implicitAuthentication` with `expectedState`, `buildAuthorizationUrlWithPAR`, `genericGrantRequest`',
  anchor: 'openid-client',
  left_out,
  startsFresh: true,
  start: startBlock('openid-client.js'),
})

auditLibrary({
  name: 'openid-client-5',
  library: 'openid-client 5',
  version: installedVersion('openid-client-5'),
  uses: '`callbackParams`, `callback` with `state`, `nonce` and `response_type`, `pushedAuthorizationRequest`, `grant`',
  anchor: 'openid-client-5',
  note: 'It takes no code beside the token, so that the app takes the code out of the answer before: nothing is left to compare `c_hash` with.',
  left_out,
  startsFresh: true,
  start: startBlock('openid-client-5.js', { "'openid-client'": "'openid-client-5'" }),
})

auditLibrary({
  name: 'oauth4webapi',
  library: 'oauth4webapi',
  version: installedVersion('oauth4webapi'),
  uses: '`validateAuthResponse`, `processAuthorizationCodeResponse` with `expectedNonce`, `validateApplicationLevelSignature`, `processPushedAuthorizationResponse`, `processGenericTokenEndpointResponse`',
  anchor: 'oauth4webapi',
  note: 'Beside a code `validateCodeIdTokenResponse` compares `c_hash`; the app does not use it, because most answers have no code.',
  left_out,
  startsFresh: true,
  start: startBlock('oauth4webapi.js'),
})
