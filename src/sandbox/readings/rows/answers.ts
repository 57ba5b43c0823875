import { createIssuer, useIssuer } from '../../../service/oidc/provider.ts'
import { withAnother, withMembers } from '../../outcomes/answer-changes.ts'
import { inCallbacks, inReplies, type ReadingRow } from '../reading.ts'

const FAILED_CALLS = {
  section: 'Errors',
  quote: 'HTTP status codes and bodies of failed server-to-server calls: not shown.',
}

/** Readings of the replies to server-to-server calls: E2, E4 and E5. */
export const SERVER_REPLIES: readonly ReadingRow[] = [
  {
    name: 'upgrade_body',
    point: 'Bytes of the body of an upgrade',
    section: 'E5. Upgrade age key',
    quote: 'Response: status 200, body the JSON string OK.',
    open: 'nothing on line breaks around it',
    source: 'RFC 8259 section 7',
    variants: {
      json: 'The body is "OK", with the quotes of JSON.',
      newline: {
        summary: 'The body is "OK" and a line break behind it.',
        source: 'RFC 8259 section 2',
        changes: ['upgrade/upgrade.ok_with_space'],
      },
    },
    shownBy: ['use/code_issued'],
  },
  {
    name: 'error_body',
    point: 'Members of the body of a refused call',
    ...FAILED_CALLS,
    decides: 'errorBody',
    source: 'RFC 6749 section 5.2',
    variants: {
      findings:
        'JSON with error, error_description and findings, and with error_uri where there is a flow to show.',
      plain: 'JSON with error and error_description alone.',
    },
    shownBy: ['par/par.401', 'par/par.400', 'token/token.401', 'upgrade/upgrade.400'],
  },
  {
    name: 'upgrade_error_body',
    point: 'Body of a refused upgrade',
    ...FAILED_CALLS,
    decides: 'upgradeErrorBody',
    source: 'RFC 9110 section 15.5',
    variants: {
      json: 'A refused upgrade has the JSON of other refused calls.',
      empty: 'A refused upgrade has no body.',
      text: 'A refused upgrade has the error as plain text.',
    },
    shownBy: ['upgrade/upgrade.400', 'upgrade/upgrade.token_expired'],
  },
  {
    name: 'client_error_status',
    point: 'Status of wrong credentials in a form',
    ...FAILED_CALLS,
    decides: 'clientErrorStatus',
    source: 'RFC 6749 section 5.2',
    variants: {
      401: 'Wrong credentials at E2 are answered with 401.',
      400: 'Wrong credentials at E2 are answered with 400.',
    },
    shownBy: ['par/par.401'],
  },
  {
    name: 'refused_token_status',
    point: 'Status of a refused access token',
    ...FAILED_CALLS,
    decides: 'refusedTokenStatus',
    source: 'RFC 6750 section 3.1',
    variants: {
      401: 'An access token that E5 refuses is answered with 401.',
      403: {
        summary: 'An access token that E5 refuses is answered with 403.',
        source: 'RFC 9110 section 15.5.4',
      },
    },
    shownBy: ['upgrade/upgrade.token_expired'],
  },
  {
    name: 'refused_signal_status',
    point: 'Status of refused age signals',
    ...FAILED_CALLS,
    decides: 'refusedSignalStatus',
    source: 'RFC 9110 section 15.5.1',
    variants: {
      400: 'Age signals that E5 refuses are answered with 400.',
      422: {
        summary: 'Age signals that E5 refuses are answered with 422.',
        source: 'RFC 9110 section 15.5.21',
      },
    },
    shownBy: ['upgrade/upgrade.400'],
  },
]

const REDIRECT = {
  section: 'E1. Use authorization',
  quote: 'Response: browser redirect to redirect_uri carrying these parameters',
}
const ERRORS = {
  section: 'Errors',
  quote: 'Error redirect codes other than access_denied: not shown.',
}

/** Readings of callbacks: E1 and E3. */
export const CALLBACK_READINGS: readonly ReadingRow[] = [
  {
    name: 'error_redirect',
    point: 'Error codes of a refused request',
    ...ERRORS,
    decides: 'errorCodes',
    source: 'RFC 6749 section 4.1.2.1',
    variants: {
      specific:
        'A refused request comes back with the code of its mistake: invalid_scope, invalid_request_uri.',
      general: 'A refused request comes back with invalid_request, but for a request object.',
    },
    shownBy: ['create/request_uri.expired', 'create/request_uri.used'],
  },
  {
    name: 'error_description',
    point: 'Whether errors are described',
    section: 'Errors',
    quote: 'Standard OIDC error responses and error redirect parameters are used.',
    open: 'nothing on error_description',
    decides: 'errorDescription',
    source: 'RFC 6749 section 4.1.2.1',
    variants: {
      present: 'An error comes with an error_description, in callbacks and in replies.',
      absent:
        'Neither the error of a callback nor a refused call (400 to 499) has an error_description.',
    },
    shownBy: ['use/access_denied', 'create/access_denied', 'par/par.401'],
  },
  {
    name: 'expired_request_uri',
    point: 'Answer to an expired request_uri',
    section: 'States and transitions',
    quote: 'The user must then get a new one through a new PAR call.',
    open: 'nothing on what the browser gets',
    decides: 'unusableRequestUri',
    source: 'RFC 9126 section 4',
    variants: {
      redirect:
        'A request_uri that has expired or was used comes back as a redirect with error and state.',
      without_state: {
        summary:
          'A request_uri that has expired or was used comes back as a redirect with error, but without state.',
        source: 'RFC 6749 section 4.1.2.1',
      },
      page: 'A request_uri that has expired or was used ends on an error page: no callback comes.',
    },
    shownBy: ['create/request_uri.expired', 'create/request_uri.used'],
  },
  {
    name: 'refused_request',
    point: 'Answer to a request that breaks a rule',
    ...ERRORS,
    decides: 'refusedRequest',
    source: 'RFC 6749 section 4.1.2.1',
    variants: {
      redirect:
        'A request of a known client that E1 or E3 refuses comes back as a redirect with error and state.',
      page: {
        summary: 'A request that E1 or E3 refuses ends on an error page: no callback comes.',
        source: 'RFC 9700 section 4.11.2',
      },
    },
    shownBy: ['use/invalid_request', 'create/invalid_request'],
  },
  {
    name: 'callback_order',
    point: 'Order of the parameters of callbacks',
    ...REDIRECT,
    open: 'nothing on the order of the parameters',
    source: 'RFC 6749 section 4.1.2',
    variants: {
      usual: 'The state comes behind the other parameters of the table.',
      reversed: {
        summary: 'The parameters of the table come in the other order, the state first.',
        source: 'OpenID Connect Core 1.0 section 3.2.2.5',
        changes: inCallbacks((callback) => ({ ...callback, params: callback.params.toReversed() })),
      },
    },
    shownBy: ['use/verified', 'use/access_denied', 'create/access_denied'],
  },
  {
    name: 'callback_iss',
    point: 'Issuer in callbacks',
    ...REDIRECT,
    open: 'nothing on iss',
    source: 'RFC 6749 section 4.1.2',
    variants: {
      absent: 'Callbacks have no parameter iss.',
      present: {
        summary: 'Each callback has a parameter iss with the issuer, and discovery says so.',
        source: 'RFC 9207 section 2',
        changes: [
          ...inCallbacks((callback, { provider }, flow) =>
            withAnother(
              callback,
              'iss',
              flow === 'use' ? useIssuer(provider) : createIssuer(provider),
            ),
          ),
          inReplies('discovery', (reply) =>
            withMembers(reply, { authorization_response_iss_parameter_supported: true }),
          ),
        ],
      },
    },
    shownBy: ['use/verified', 'use/access_denied', 'create/created', 'create/access_denied'],
  },
  {
    name: 'callback_spaces',
    point: 'Blanks in callbacks',
    ...REDIRECT,
    open: 'nothing on how a blank is written',
    source: 'RFC 3986 section 2.1',
    variants: {
      percent: 'A blank in a parameter of a redirect is %20.',
      plus: {
        summary: 'A blank in a parameter of a redirect is +.',
        source: 'RFC 6749 appendix B',
        changes: inCallbacks((callback) => ({ ...callback, blanks: '+' })),
      },
    },
    shownBy: ['use/access_denied', 'create/access_denied'],
  },
  {
    name: 'redirect_status',
    point: 'Status of the redirect',
    ...REDIRECT,
    open: 'no status',
    decides: 'redirectStatus',
    source: 'RFC 6749 section 1.7',
    variants: {
      302: 'A request is answered with 302, a form with 303.',
      303: { summary: 'Each redirect has status 303.', source: 'RFC 9700 section 4.12' },
    },
    shownBy: ['use/verified', 'create/created'],
  },
]
