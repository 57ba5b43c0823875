import type { Decisions, IssuedForm } from '../../../oidc/decisions.ts'
import type { Reading } from '../reading.ts'

/** What something that is issued looks like. */
function formOf(
  what: string,
  decides: (form: IssuedForm) => Partial<Decisions>,
  { source, ...row }: Omit<Reading, 'default' | 'variants' | 'open'> & { source: string },
): Reading {
  return {
    ...row,
    open: 'nothing on its form and length',
    default: 'short',
    variants: [
      { name: 'short', summary: `${what} has some 20 to 50 letters of base64url.`, source },
      {
        name: 'jwt',
        summary: `${what} is a JWT of some 1,000 characters, with dots.`,
        source,
        effect: { decisions: decides('jwt') },
      },
      {
        name: 'base64',
        summary: `${what} has the characters /, + and =.`,
        source,
        effect: { decisions: decides('base64') },
      },
    ],
  }
}

/** What is issued to be sent back: a client must not look into it. */
export const ISSUED: readonly Reading[] = [
  formOf('A code', (codeForm) => ({ codeForm }), {
    name: 'code_form',
    point: 'Form of a code',
    section: 'E4. Use token',
    quote: 'The code from E1, issued when the upgrade scope was requested and all thresholds were false.',
    source: 'RFC 6749 appendix A.11',
    shownBy: ['use/code_issued'],
  }),
  formOf('An access token', (accessTokenForm) => ({ accessTokenForm }), {
    name: 'access_token_form',
    point: 'Form of an access token',
    section: 'Token response',
    quote: 'Bearer token for the upgrade call.',
    source: 'RFC 6750 section 2.1',
    shownBy: ['use/code_issued'],
  }),
  formOf('The id in a request_uri', (requestUriForm) => ({ requestUriForm }), {
    name: 'request_uri_form',
    point: 'Form of a request_uri',
    section: 'Pushed request reference',
    quote: 'Shape urn:svc:request:<id>.',
    source: 'RFC 8141 section 2.2',
    shownBy: ['create/created'],
  }),
]
