import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { withLog } from '../../../src/audit/trials/library-messages.ts'
import { describeWith, PYTHON } from '../../support/tools.ts'

/** The refusing checks, read from the lines of a Python program. */
function refusedBy(code: string) {
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', code], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const lines = stdout.trim().split('\n')
  return lines.map(
    (line) => withLog({ verdict: 'refused', evidence: '', flows: [] }, [line]).refusedBy,
  )
}

describeWith('python', 'PyJWT', () => {
  test('The log of an app by PyJWT names the check that refused', () => {
    const code = `
import jwt, time
good = dict(iss='i', aud='a', nonce='n', sub='s', exp=time.time() + 60)
def say(change={}, algorithms=['HS256'], token=None, drop=None):
    claims = {k: v for k, v in {**good, **change}.items() if k != drop}
    try:
        jwt.decode(token or jwt.encode(claims, 'k' * 32, 'HS256'), 'k' * 32, algorithms=algorithms, issuer='i', audience='a', options={'require': ['exp', 'nonce']})
    except Exception as error:
        print(type(error).__module__ + '.' + type(error).__name__ + ': ' + str(error))
say({'exp': 1})
say({'iss': 'other'})
say({'aud': 'other'})
say({'nbf': time.time() + 600})
say({'iat': time.time() + 600})
say(drop='exp')
say(drop='nonce')
say(algorithms=['HS384'])
say(token=jwt.encode(good, 'x' * 32, 'HS256'))
say(token='abc')
`
    const checks = [
      'exp',
      'iss',
      'aud',
      'nbf',
      'iat',
      'exp',
      'nonce',
      'alg',
      'signature',
      'serialisation',
    ]
    expect(refusedBy(code)).toEqual(checks)
  })
})

describeWith('python', 'Authlib', () => {
  test('The log of an app by Authlib names the check that refused', () => {
    const code = `
import time
from authlib.jose import jwt
from authlib.oidc.core import ImplicitIDToken
good = dict(iss='i', aud='a', nonce='n', sub='s', exp=int(time.time()) + 60, iat=int(time.time()))
options = {'iss': {'values': ['i']}, 'aud': {'values': ['a']}}
def say(change={}, key='k'):
    try:
        token = jwt.encode({'alg': 'HS256'}, {**good, **change}, key)
        jwt.decode(token, 'k', claims_cls=ImplicitIDToken, claims_options=options, claims_params={'nonce': 'n'}).validate()
    except Exception as error:
        print(type(error).__module__ + '.' + type(error).__name__ + ': ' + str(error))
say({'exp': 1})
say({'iss': 'other'})
say({'aud': 'other'})
say({'nonce': 'other'})
say(key='x')
`
    expect(refusedBy(code)).toEqual(['exp', 'iss', 'aud', 'nonce', 'signature'])
  })
})
