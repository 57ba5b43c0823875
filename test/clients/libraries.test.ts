import * as z from 'zod'
import { describeLibrary, type Library, type LoadLibrary } from './describe-library.ts'
import { importExample, type Replacements } from './examples.ts'

const callable = <T>() => z.custom<T>((value) => typeof value === 'function')
const library = z.object({
  useUrl: callable<Library['useUrl']>(),
  readAnswer: callable<Library['readAnswer']>(),
  createUrl: callable<Library['createUrl']>(),
  upgrade: callable<Library['upgrade']>(),
})

const loader =
  (name: string, replacements: Replacements = {}): LoadLibrary =>
  async ({ baseUrl }, folder) =>
    library.parse(await importExample(name, folder, { 'http://localhost:2435': baseUrl, ...replacements }))

describeLibrary('openid-client 6', loader('openid-client.js'), {
  signature: /JWT signature verification failed/,
  nonce: /claim: 'nonce'/,
})

describeLibrary('openid-client 5', loader('openid-client-5.js', { "'openid-client'": "'openid-client-5'" }), {
  signature: /failed to validate JWT signature/,
  nonce: /nonce mismatch/,
})

describeLibrary('oauth4webapi', loader('oauth4webapi.js'), {
  signature: /JWT signature verification failed/,
  nonce: /claim: 'nonce'/,
})
