/** What `init` writes: every setting with its meaning, the defaults commented out. */
export const STARTER_CONFIG = `# yaml-language-server: $schema=http://localhost:2435/_sandbox/assets/schemas/config.schema.json
# Settings of agekey-sandbox. Flags and AGEKEY_SANDBOX_ environment variables go before this file.
# Paths are relative to the folder of this file. Lines that are commented out show the default or an example.

# spec: the specification to the letter. agekey: the live service's brand word, and what its published clients need.
profile: spec

# Where it listens. Port 0 takes a free one; a host other than 127.0.0.1 opens it to the network.
# port: 2435
# host: 127.0.0.1

# The address under which relying parties reach it, when that differs from where it listens.
# base_url: http://localhost:2435
# Or only its path.
# base_path: /agekey

# The address by which the servers of your app reach it, when that is another one: a container by its name. Who calls by it
# is told of it by discovery; the issuer stays. trust_host: true does the same for every name that a server calls by.
# internal_url: http://agekey-sandbox:2435
# trust_host: false

# Proxies whose X-Forwarded-For, -Proto and -Host headers count: addresses, CIDR ranges, or loopback, linklocal, uniquelocal.
# trust_proxy: [10.0.0.0/8]

# Serves https: with a self-signed certificate that is kept in the state folder, or with your own.
# https: false
# https_cert: ./certificate.pem
# https_key: ./key.pem

# RS256 or ES256
# signing_alg: RS256

# Your apps, beside the built-in client ak_test_sandbox (which may redirect to any address on this machine).
clients:
  - client_id: web-shop
    client_secret: not-a-real-secret
    name: Web shop
    # logo: ./logo.svg
    redirect_uris:                      # compared by exact match
      - http://localhost:3000/callback
    # persona: adult-passport           # no choice page for this client
# builtin_client: false

# Who decides when nobody else does: then no choice page is shown. The commands "personas" and "outcomes" list the names.
# persona: adult-passport
# outcome: verified

# Your own test users: a file, a folder, or a list of them.
# personas: ./personas

# Provenance paths that a submitted age signal may name; replaces the built-in list.
# provenance_allowlist: [/veratad/roc, /yoti]

# Values of the attribute "platform"; replaces the built-in list.
# platforms: [apple_wallet, google_wallet]

# ISO 27566-1 levels of submitted age signals, by provenance and method; without one a signal is uncertified.
# certifications:
#   /veratad/roc: { id_doc_scan: effective }

# In seconds.
# lifetimes: { request_uri: 90, code: 600, id_token: 600, access_token: 10800 }

# The same seed with a frozen clock gives the same ids, codes, tokens and names.
# seed: 1

# pretty, json or silent
# log: pretty

# Signing keys and certificate are kept in a folder (none: in memory), or the keys are read from a file.
# state_dir: ./.agekey-sandbox
# keys: ./keys.json

# Redis or Valkey, so that several replicas act as one sandbox; all of them need the same base_url.
# store: redis://localhost:6379

# When set, calls of the control API need this token.
# control_token: not-a-real-token
`
