import type { ClientCheck } from '../../sandbox/outcomes/outcome.ts'

/**
 * A library that apps use to read tokens. `language` is absent if only the call can be shown.
 */
interface Library extends Record<'name' | 'call', string> {
  /** Matches the library's name in one of `files`. */
  readonly sign: RegExp
  readonly files: readonly string[]
  /** Checks that `call` makes in addition to `BY_CALL`. */
  readonly also?: readonly ClientCheck[]
  /** Rows that `call` accepts although it makes their check; see docs/libraries.md. */
  readonly leaves?: RegExp
  readonly language?: keyof typeof LANGUAGES
}

const DISCOVERY = 'ISSUER/.well-known/openid-configuration'
const JS = { files: ['package.json'], language: 'js', also: ['crit', 'nbf'] } as const
const CLIENT = { ...JS, also: ['crit', 'nbf', 'azp', 'state', 'nonce', 'error'] } as const
const PYTHON = { files: ['requirements.txt', 'pyproject.toml', 'Pipfile'], language: 'py' } as const
const APACHE = ['age.conf', 'apache.conf', 'httpd.conf', 'apache2.conf', '000-default.conf']

// biome-ignore format: a library and its call
/** In order of search: a library comes before the library that it builds on. */
const LIBRARIES: readonly Library[] = [
  { ...CLIENT, name: 'express-openid-connect', sign: /"express-openid-connect"\s*:/,
    call: "openid.auth({ issuerBaseURL: ISSUER, authorizationParams: { response_type: 'id_token', ... } })\nrequest.oidc.idTokenClaims // decode no token by yourself" },
  { ...CLIENT, name: 'next-auth', sign: /"next-auth"\s*:\s*"[^\d"]*4/,
    call: `{ wellKnown: '${DISCOVERY}', idToken: true,\n  checks: ['state', 'nonce'], client: { response_types: ['id_token'] } }` },
  { ...CLIENT, name: 'openid-client 5', sign: /"openid-client"\s*:\s*"[^\d"]*5/,
    call: "await use.callback(REDIRECT_URI, answer, { state, nonce, response_type: 'id_token' })" },
  { ...CLIENT, name: 'openid-client', sign: /"openid-client"\s*:/,
    call: "await client.implicitAuthentication(use, new URL('#' + query, REDIRECT_URI), nonce, { expectedState })" },
  { ...JS, name: 'jose', sign: /"jose"\s*:/,
    call: "const keys = createRemoteJWKSet(new URL(JWKS_URI)) // once, when the app starts\nconst { payload: claims } = await jwtVerify(id_token, keys, { issuer: ISSUER, audience: CLIENT_ID,\n  algorithms: ['RS256', 'ES256'], requiredClaims: ['exp', 'iat', 'sub', 'nonce'] })" },
  { ...PYTHON, name: 'Authlib', sign: /\bauthlib\b/i, also: ['crit', 'nbf', 'azp', 'nonce', 'c_hash'],
    call: 'claims = JsonWebToken(["RS256", "ES256"]).decode(id_token, keys, claims_cls=HybridIDToken,\n    claims_options={"iss": {"value": ISSUER}, "aud": {"value": CLIENT_ID}},\n    claims_params={"nonce": session.pop("nonce"), "client_id": CLIENT_ID, "code": answer.get("code")}); claims.validate()' },
  { ...PYTHON, name: 'PyJWT', sign: /\bpyjwt\b/i, also: ['nbf'], leaves: /exp_string$/,
    call: 'keys = PyJWKClient(JWKS_URI)  # once, when the app starts\nclaims = jwt.decode(id_token, keys.get_signing_key_from_jwt(id_token).key, issuer=ISSUER, audience=CLIENT_ID,\n    algorithms=["RS256", "ES256"], options={"require": ["exp", "iat", "sub", "nonce"]})' },
  { files: ['go.mod'], language: 'go', name: 'go-oidc', sign: /github\.com\/coreos\/go-oidc/, also: ['crit', 'nbf'],
    leaves: /exp_string$|kid_empty$/,
    call: 'provider, err := oidc.NewProvider(ctx, issuer) // once, when the app starts\ntoken, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, idToken)' },
  { files: ['Gemfile'], language: 'rb', name: 'openid_connect', sign: /\bopenid_connect\b/, also: ['nonce'],
    leaves: /exp_string$/,
    call: 'token = OpenIDConnect::ResponseObject::IdToken.decode(id_token, config.jwks)\ntoken.verify!(issuer: config.issuer, client_id: CLIENT_ID, nonce: session.delete(:nonce))' },
  { files: APACHE, language: 'apache', name: 'mod_auth_openidc', sign: /auth_openidc/, leaves: /iss_trailing_slash$/,
    call: `OIDCProviderMetadataURL ${DISCOVERY}\nOIDCResponseType id_token` },
]

// biome-ignore format: a list of names
/**
 * Checks that the call of every library makes. `docs/libraries.md` lists the audit results.
 */
const BY_CALL: readonly ClientCheck[] = ['signature', 'alg', 'kid', 'key_source', 'iss', 'aud', 'exp', 'serialisation']

const LANGUAGES = {
  js: (condition: string, check: ClientCheck) => `if (!(${condition})) throw new Error('${check}')`,
  py: (condition: string, check: ClientCheck) =>
    `if not (${condition}):\n    raise ValueError("${check}")`,
  go: (condition: string, check: ClientCheck) =>
    `if !(${condition}) {\n    return errors.New("${check}") }`,
  rb: (condition: string, check: ClientCheck) => `raise "${check}" unless ${condition}`,
  apache: (condition: string) => `<RequireAll>\n  ${condition}\n</RequireAll>`,
}

// biome-ignore format: a line or two for each check
/**
 * The condition of each check as code, by language. `session` holds what the app stored when it
 * redirected the browser to the service.
 */
const CONDITIONS: Readonly<Partial<Record<ClientCheck, Readonly<Partial<Record<keyof typeof LANGUAGES, string>>>>>> = {
  state: { js: 'session.state && answer.state === session.state',
    py: 'session["state"] and answer.get("state") == session["state"]',
    go: 'session.State != "" && answer.Get("state") == session.State',
    rb: 'session[:state] && answer["state"] == session[:state]' },
  nonce: { js: 'session.nonce && claims.nonce === session.nonce',
    py: 'session["nonce"] and claims.get("nonce") == session["nonce"]', go: 'session.Nonce != "" && token.Nonce == session.Nonce' },
  error: { js: 'answer.error === undefined', py: '"error" not in answer', go: '!answer.Has("error")',
    rb: 'answer["error"].nil?' },
  parameters: { js: 'Object.values(answer).every((value) => typeof value === "string")',
    go: 'len(answer["id_token"]) == 1' },
  azp: { js: 'String(claims.aud) === CLIENT_ID', py: 'claims["aud"] in (CLIENT_ID, [CLIENT_ID])',
    go: 'len(token.Audience) == 1 && token.Audience[0] == clientID' },
  lifetime: { js: 'claims.exp - claims.iat <= 600', py: 'claims["exp"] - claims["iat"] <= 600',
    go: 'token.Expiry.Sub(token.IssuedAt) <= 10*time.Minute' },
  iat: { js: 'typeof claims.iat === "number"', py: 'type(claims.get("iat")) is int', go: '!token.IssuedAt.IsZero()' },
  sub: { js: 'typeof claims.sub === "string" && claims.sub !== "" && claims.sub.length <= 255',
    py: 'isinstance(claims["sub"], str) and 0 < len(claims["sub"]) <= 255',
    go: 'token.Subject != "" && len(token.Subject) <= 255' },
  exp: { py: 'type(claims["exp"]) is int' },
  age_thresholds: { js: "claims.age_thresholds?.['18'] === true", py: 'claims["age_thresholds"].get("18") is True',
    go: 'claims.AgeThresholds["18"] == true', rb: 'token.raw_attributes["age_thresholds"]["18"] == true',
    // Numbers are compared as numbers, and "true" reads as 0.
    apache: 'Require claim age_thresholds.18:true\n  Require not claim age_thresholds.18:0' },
  requested_thresholds: { js: "Object.keys(claims.age_thresholds).join() === '18'",
    py: 'set(claims["age_thresholds"]) == {"18"}' },
  req_claims_hash: { js: "claims.req_claims_hash === createHash('sha256').update(CLAIMS).digest('base64url')",
    py: 'claims["req_claims_hash"] == urlsafe_b64encode(sha256(CLAIMS.encode()).digest()).rstrip(b"=").decode()' },
  c_hash: { js: "claims.c_hash === createHash('sha256').update(code).digest().subarray(0, 16).toString('base64url')",
    py: 'claims["c_hash"] == urlsafe_b64encode(sha256(code.encode()).digest()[:16]).rstrip(b"=").decode()' },
  status: { js: 'response.ok', py: 'response.ok', go: 'response.StatusCode/100 == 2' },
  request_uri: { js: "typeof reply.request_uri === 'string'", py: 'isinstance(reply.get("request_uri"), str)' },
  ok: { js: "upgraded === 'OK'", py: 'upgraded == "OK"', go: 'upgraded == "OK"' },
}

/**
 * The code that makes a check, for an app with this library.
 * @param rows the rows that break the check
 * @returns the library and the code; both are absent for an unknown library, and `lines` is absent
 * if no code is known for the check
 */
export function remedyFor(
  check: ClientCheck,
  used: string | undefined,
  rows: readonly string[],
): { library?: string; lines?: string } {
  const {
    name,
    call,
    also = [],
    leaves,
    language,
  } = LIBRARIES.find((one) => one.name === used) ?? {}
  if (!name) return {}
  const isByCall = [...BY_CALL, ...also].includes(check) && !rows.every((row) => leaves?.test(row))
  const condition = language && CONDITIONS[check]?.[language]
  const lines = isByCall ? call : condition && LANGUAGES[language](condition, check)
  return { library: name, ...(lines && { lines }) }
}

/**
 * Finds the library of an app by the files in its folder; `undefined` if none is known.
 * @param read returns the text of a file; `undefined` if the file cannot be read
 */
export function findLibrary(read: (name: string) => string | undefined): string | undefined {
  return LIBRARIES.find(({ sign, files }) => files.some((file) => sign.test(read(file) ?? '')))
    ?.name
}
