import { expect, test } from 'vitest'
import type { Clients } from '../../../../src/service/oidc/ports.ts'
import {
  authenticateByBasic,
  authenticateByForm,
  basicClientId,
  bearerToken,
} from '../../../../src/service/oidc/request/client-auth.ts'
import { createProvider } from '../../../support/provider.ts'
import { basic } from '../../../support/requests.ts'

const known = createProvider().clients.find('other')
const clients: Clients = {
  ids: ['a b', 'plain'],
  find: (clientId) => {
    const clientSecret = { 'a b': 'p%+:ü', plain: '100%', x: 'xy' }[clientId]
    return known && clientSecret !== undefined ? { ...known, clientId, clientSecret } : undefined
  },
}

const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  ['the parts as they are', basic('a b', 'p%+:ü'), 'a b'],
  ['form-encoded parts', basic('a+b', 'p%25%2B%3A%C3%BC'), 'a b'],
  ['a blank as %20', basic('a%20b', 'p%25%2B%3A%C3%BC'), 'a b'],
  ['a secret that is no form encoding', basic('plain', '100%'), 'plain'],
  [
    'another case of the scheme, more blanks',
    `bAsIc   ${Buffer.from('plain:100%').toString('base64')}  `,
    'plain',
  ],
  ['base64url without padding', `Basic ${Buffer.from('a b:p%+:ü').toString('base64url')}`, 'a b'],
  ['a wrong secret', basic('plain', '100'), undefined],
  ['an unknown client', basic('nobody', '100%'), undefined],
  ['an unknown client with an empty secret', basic('nobody', ''), undefined],
  ['a broken escape', basic('a+b', 'p%'), undefined],
  ['no colon', encoded('plain'), undefined],
  ['no colon, as if the last character were one', encoded('xy'), undefined],
  ['characters that are no base64', 'Basic pla!n', undefined],
  ['text behind the base64', `${basic('plain', '100%')} x`, undefined],
  ['text before the scheme', `x ${basic('plain', '100%')}`, undefined],
  ['another scheme', basic('plain', '100%').replace('Basic', 'Bearer'), undefined],
  ['no header', undefined, undefined],
])('HTTP Basic authenticates by %s', (_what, authorization, clientId) => {
  expect(authenticateByBasic(clients, authorization)?.clientId).toBe(clientId)
})

test.each([
  ['plain', '100%', 'plain'],
  ['plain', 'wrong', undefined],
  ['nobody', '', undefined],
  [undefined, '100%', undefined],
  ['plain', undefined, undefined],
])('A form authenticates %s by the secret %s: %s', (clientId, clientSecret, authenticated) => {
  expect(authenticateByForm(clients, { clientId, clientSecret })?.clientId).toBe(authenticated)
})

test.each([
  [basic('a:b', 'c'), 'a'],
  [basic('nobody', 'wrong'), 'nobody'],
  [`basic  ${Buffer.from('plain').toString('base64')} x`, 'plain'],
  ['Bearer YWJj', undefined],
  ['x Basic YWJj', undefined],
  [undefined, undefined],
])('The header %s claims to be of %s', (authorization, clientId) => {
  expect(basicClientId(authorization)).toBe(clientId)
})

test.each([
  ['Bearer abc', 'abc'],
  ['bEARER   aZ09-._~+/==  ', 'aZ09-._~+/=='],
  ['Bearer a=b', undefined],
  ['Bearer a b', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearerabc', undefined],
  ['x Bearer abc', undefined],
  ['Basic abc', undefined],
  [undefined, undefined],
])('The access token in the header %s is %s', (authorization, token) => {
  expect(bearerToken(authorization)).toBe(token)
})
