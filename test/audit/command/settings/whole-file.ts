/** An `agekey-audit.yaml` with most of its settings. */
export const WHOLE = `app: http://localhost:{port}/verify
start:
  run: npm start
  ready: http://localhost:{port}/
  env: { AGE_BASE_URL: '{base_url}', PORT: '{port}', DEBUG: true }
before:
  - post: /login
    form: { email: 'user-{n}@example.test', age: 18 }
  - get: /welcome
reset: { post: /test/reset, json: { all: true } }
use:
  accepted: get=/me status=200
  refused: text=Not yet
  source: src/verify.ts:12
  start: { post: /begin, form: { a: b } }
create: { start: /create, begin: { click: Save } }
upgrade: { start: { post: /upgrade }, begin: { post: /go, json: { a: 1 } } }
catalogue: 0.2
fail_on: should
known:
  - row: use/id_token.kid_empty
    because: the library takes an empty kid for none
    until: 2027-01-31
age: 16
`
