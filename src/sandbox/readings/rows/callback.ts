import { createIssuer, useIssuer } from '../../../oidc/provider.ts'
import { withAnother } from '../../outcomes/callback-changes.ts'
import { withMembers } from '../../outcomes/reply-changes.ts'
import { inCallbacks, inReplies, type Reading } from '../reading.ts'

const USE_CALLBACK = 'E1. Use authorization'
const REDIRECT = 'Response: browser redirect to redirect_uri carrying these parameters'
const ERRORS = 'Errors'
const ERROR_REDIRECTS = 'Error redirect codes other than access_denied: not shown.'
const STANDARD_ERRORS = 'Standard OIDC error responses and error redirect parameters are used.'

/** What goes back to the relying party through the browser: E1 and E3. */
export const CALLBACK_READINGS: readonly Reading[] = [
  {
    name: 'error_redirect',
    point: 'Error codes of a refused request',
    section: ERRORS,
    quote: ERROR_REDIRECTS,
    default: 'specific',
    variants: [
      {
        name: 'specific',
        summary: 'A refused request comes back with the code of its mistake: invalid_scope, invalid_request_uri.',
        source: 'RFC 6749 section 4.1.2.1',
      },
      {
        name: 'general',
        summary: 'A refused request comes back with invalid_request, but for a request object.',
        source: 'RFC 6749 section 4.1.2.1',
        effect: { decisions: { errorCodes: 'general' } },
      },
    ],
    shownBy: ['create/request_uri.expired', 'create/request_uri.used'],
  },
  {
    name: 'error_description',
    point: 'Whether errors are described',
    section: ERRORS,
    quote: STANDARD_ERRORS,
    open: 'nothing on error_description',
    default: 'present',
    variants: [
      {
        name: 'present',
        summary: 'An error comes with an error_description, in callbacks and in replies.',
        source: 'RFC 6749 section 4.1.2.1',
      },
      {
        name: 'absent',
        summary: 'Neither the error of a callback nor a refused call (400 to 499) has an error_description.',
        source: 'RFC 6749 section 4.1.2.1',
        effect: { decisions: { errorDescription: 'absent' } },
      },
    ],
    shownBy: ['use/access_denied', 'create/access_denied', 'par/par.401'],
  },
  {
    name: 'expired_request_uri',
    point: 'Answer to an expired request_uri',
    section: 'States and transitions',
    quote: 'The user must then get a new one through a new PAR call.',
    open: 'nothing on what the browser gets',
    default: 'redirect',
    variants: [
      {
        name: 'redirect',
        summary: 'A request_uri that has expired or was used comes back as a redirect with error and state.',
        source: 'RFC 9126 section 4',
      },
      {
        name: 'without_state',
        summary: 'A request_uri that has expired or was used comes back as a redirect with error, but without state.',
        source: 'RFC 6749 section 4.1.2.1',
        effect: { decisions: { unusableRequestUri: 'without_state' } },
      },
      {
        name: 'page',
        summary: 'A request_uri that has expired or was used ends on an error page: no callback comes.',
        source: 'RFC 9126 section 4',
        effect: { decisions: { unusableRequestUri: 'page' } },
      },
    ],
    shownBy: ['create/request_uri.expired', 'create/request_uri.used'],
  },
  {
    name: 'refused_request',
    point: 'Answer to a request that breaks a rule',
    section: ERRORS,
    quote: ERROR_REDIRECTS,
    default: 'redirect',
    variants: [
      {
        name: 'redirect',
        summary: 'A request of a known client that E1 or E3 refuses comes back as a redirect with error and state.',
        source: 'RFC 6749 section 4.1.2.1',
      },
      {
        name: 'page',
        summary: 'A request that E1 or E3 refuses ends on an error page: no callback comes.',
        source: 'RFC 9700 section 4.11.2',
        effect: { decisions: { refusedRequest: 'page' } },
      },
    ],
    shownBy: ['use/invalid_request', 'create/invalid_request'],
  },
  {
    name: 'callback_order',
    point: 'Order of the parameters of callbacks',
    section: USE_CALLBACK,
    quote: REDIRECT,
    open: 'nothing on the order of the parameters',
    default: 'usual',
    variants: [
      {
        name: 'usual',
        summary: 'The state comes behind the other parameters of the table.',
        source: 'RFC 6749 section 4.1.2',
      },
      {
        name: 'reversed',
        summary: 'The parameters of the table come in the other order, the state first.',
        source: 'OpenID Connect Core 1.0 section 3.2.2.5',
        effect: { changes: inCallbacks((callback) => ({ ...callback, params: callback.params.toReversed() })) },
      },
    ],
    shownBy: ['use/verified', 'use/access_denied', 'create/access_denied'],
  },
  {
    name: 'callback_iss',
    point: 'Issuer in callbacks',
    section: USE_CALLBACK,
    quote: REDIRECT,
    open: 'nothing on iss',
    default: 'absent',
    variants: [
      { name: 'absent', summary: 'Callbacks have no parameter iss.', source: 'RFC 6749 section 4.1.2' },
      {
        name: 'present',
        summary: 'Each callback has a parameter iss with the issuer, and discovery says so.',
        source: 'RFC 9207 section 2',
        effect: {
          changes: [
            ...inCallbacks((callback, { provider }, flow) =>
              withAnother(callback, 'iss', flow === 'use' ? useIssuer(provider) : createIssuer(provider)),
            ),
            inReplies('discovery', (reply) =>
              withMembers(reply, { authorization_response_iss_parameter_supported: true }),
            ),
          ],
        },
      },
    ],
    shownBy: ['use/verified', 'use/access_denied', 'create/created', 'create/access_denied'],
  },
  {
    name: 'callback_spaces',
    point: 'Blanks in callbacks',
    section: USE_CALLBACK,
    quote: REDIRECT,
    open: 'nothing on how a blank is written',
    default: 'percent',
    variants: [
      { name: 'percent', summary: 'A blank in a parameter of a redirect is %20.', source: 'RFC 3986 section 2.1' },
      {
        name: 'plus',
        summary: 'A blank in a parameter of a redirect is +.',
        source: 'RFC 6749 appendix B',
        effect: { changes: inCallbacks((callback) => ({ ...callback, blanks: '+' })) },
      },
    ],
    shownBy: ['use/access_denied', 'create/access_denied'],
  },
  {
    name: 'redirect_status',
    point: 'Status of the redirect',
    section: USE_CALLBACK,
    quote: REDIRECT,
    open: 'no status',
    default: '302',
    variants: [
      { name: '302', summary: 'A request is answered with 302, a form with 303.', source: 'RFC 6749 section 1.7' },
      {
        name: '303',
        summary: 'Each redirect has status 303.',
        source: 'RFC 9700 section 4.12',
        effect: { decisions: { redirectStatus: 303 } },
      },
    ],
    shownBy: ['use/verified', 'create/created'],
  },
]
