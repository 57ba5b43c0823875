import type { RuleTable } from './rule.ts'

const use = { section: 'E1', error: 'invalid_request' } as const

/** Rules of E1, the Use authorization request. */
export const USE_RULES = {
  'USE-01': {
    ...use,
    error: 'invalid_client',
    sentence: 'client_id names a registered client.',
    hint: 'Send the client_id that the sandbox prints at start (ak_test_sandbox), or declare yours under clients: in the config file, or by PUT /_sandbox/tenants/NAME.',
  },
  'USE-02': {
    ...use,
    section: 'E1, RFC 9700 section 4.1.3',
    sentence: 'redirect_uri is registered for the client, character by character.',
    hint: 'Send a registered URL exactly, or list the address of your app under redirect_uris of the client: in the config file, or by PUT /_sandbox/tenants/NAME; for the built-in client by --redirect-uri.',
  },
  'USE-03': {
    ...use,
    error: 'invalid_scope',
    sentence: 'scope is openid, or openid and the upgrade scope separated by a space.',
    hint: 'Send scope=openid; add a blank and the upgrade scope only when the app can make the upgrade call.',
  },
  'USE-04': {
    ...use,
    error: 'unsupported_response_type',
    sentence: 'response_type is id_token.',
    hint: 'Send response_type=id_token. A code comes beside it by itself when the upgrade scope was asked for and every threshold is false.',
  },
  'USE-05': {
    ...use,
    error: 'unsupported_response_type',
    sentence: 'response_type does not ask for a code, not even with the upgrade scope.',
    hint: 'Send response_type=id_token. Profile agekey serves "id_token code" with the upgrade scope, as the live service does.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'USE-06': {
    ...use,
    sentence: 'response_mode is fragment, query or form_post.',
    hint: 'Leave response_mode out for fragment, or send one of the three.',
  },
  'USE-07': {
    ...use,
    sentence: 'state is required.',
    hint: 'Make a random state per request, keep it in the session and compare it on return: it protects the callback against CSRF.',
  },
  'USE-08': {
    ...use,
    sentence: 'nonce is required.',
    hint: 'Make a random nonce per request, keep it in the session and compare it with the nonce of the id_token, which it binds to this request.',
  },
  'USE-09': {
    ...use,
    sentence: 'claims is required and is the URL-encoded text of a JSON object.',
    hint: 'Send claims=encodeURIComponent(JSON.stringify({ age_thresholds: [18] })) and keep the text for req_claims_hash.',
  },
  'USE-10': {
    ...use,
    section: 'RFC 6749 section 3.1, RFC 6749 appendix B',
    sentence: 'No parameter is sent more than once, and each is well-formed UTF-8.',
    hint: 'Send each parameter once, percent-encoded as UTF-8 and without NUL characters.',
  },
  'USE-11': {
    ...use,
    section: 'RFC 6749 section 3.1',
    sentence: 'Parameters that the endpoint does not use are ignored.',
    hint: 'Remove the parameter, or correct its name.',
    level: 'advice',
  },
  'USE-12': {
    ...use,
    sentence: 'can_create offers creation only when it is exactly true.',
    hint: 'Send can_create=true, or leave it out.',
    level: 'advice',
  },
  'USE-13': {
    ...use,
    section: 'E1, E3, hosted screens',
    sentence: 'theme is light, dark or system.',
    hint: 'Send light, dark or system, or leave theme out: another value is ignored and the light theme is shown.',
    level: 'advice',
  },
  'USE-14': {
    ...use,
    section: 'E1, E3, hosted screens',
    sentence: 'language is an IETF BCP 47 tag.',
    hint: 'Send a tag such as en or pt-BR, or leave language out: another value is ignored and the browser preference applies.',
    level: 'advice',
  },
  'USE-15': {
    ...use,
    section: 'hosted screens',
    sentence: 'learn_more is true or false.',
    hint: 'Send true or false, or leave learn_more out: another value is ignored and the link is shown.',
    level: 'advice',
  },
  'USE-16': {
    ...use,
    section: 'decision of the sandbox',
    sentence: 'An appearance parameter has a permitted value.',
    hint: 'Send a permitted value, or leave the parameter out: another value is ignored. Colours are #rgb, #rrggbb or a CSS colour name; text_align is left, center or right; button_radius is 0 to 32; gradient is true or false; font is 1 to 60 letters, digits and spaces.',
    level: 'advice',
  },
  'USE-17': {
    ...use,
    error: 'invalid_scope',
    sentence: 'scope does not spell the upgrade scope as agekey_upgrade or agekey-upgrade.',
    hint: 'Send the upgrade scope as discovery lists it under scopes_supported. Profile agekey takes the older spellings for it.',
    level: { spec: 'error', agekey: 'advice' },
  },
  'USE-18': {
    ...use,
    section: 'OpenID Connect Core section 6.1',
    error: 'request_not_supported',
    sentence: 'The request is not sent as a request object.',
    hint: 'Send each parameter by itself in the query. Pushed requests are for the Create flow.',
  },
  'USE-19': {
    ...use,
    section: 'E1, E3, Embedding rules',
    sentence:
      'The flow is not opened in a plain embedded web view: it lacks WebAuthn, so no age key can be created or used there.',
    hint: 'Open the flow in Custom Tabs on Android, in ASWebAuthenticationSession or SFSafariViewController on iOS.',
    level: 'advice',
  },
  'USE-20': {
    ...use,
    section: 'E1, E3, Embedding rules',
    sentence:
      'An iframe grants the permission of the flow in its allow attribute: publickey-credentials-get for Use, publickey-credentials-create for Create.',
    hint: 'Open the flow in the browser itself: from an iframe nothing is redirected. To show it there, add the permission to the allow attribute.',
    level: 'advice',
  },
  'USE-21': {
    ...use,
    section: 'decision of the sandbox, WCAG 2.2 AA',
    sentence: 'text_color can be read: it has a contrast of at least 4.5:1 on the background.',
    hint: 'Send a colour with more contrast, or leave text_color out: this one is moved towards black or white until it can be read.',
    level: 'advice',
  },
  'USE-22': {
    ...use,
    section: 'decision of the sandbox',
    sentence: 'font names a family that the device of the user has.',
    hint: 'Look at the page of the service too, which loads the family from a public web-font library: the sandbox loads no font and shows a default one.',
    level: 'advice',
  },
  'USE-23': {
    ...use,
    section: 'decision of the sandbox',
    sentence: 'No parameter but claims is longer than 4096 bytes.',
    hint: 'Send random values of about 20 characters, and keep what belongs to them in the session of your app.',
  },
  'USE-24': {
    ...use,
    section: 'OpenID Connect Core section 6.2',
    error: 'request_uri_not_supported',
    sentence: 'The request is not sent as a reference by request_uri.',
    hint: 'Send each parameter by itself in the query. Pushed requests are for the Create flow.',
  },
  'USE-25': {
    ...use,
    section: 'OpenID Connect Core section 3.2.2.1, RFC 6749 section 10.12',
    sentence: 'state and nonce are other values in each request.',
    hint: 'Make a random value for each request: one that is always the same protects neither the callback nor the token. It is found when a flow is read that follows two others of its client.',
    level: 'advice',
  },
} as const satisfies RuleTable
