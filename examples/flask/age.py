import json
import os
import re
import secrets
import time
from base64 import urlsafe_b64encode
from hashlib import sha256
from urllib.parse import urlencode

import requests
from authlib.jose import JsonWebKey, JsonWebToken
from flask import Blueprint, after_this_request, redirect, request, url_for

BASE_URL = os.environ.get("AGE_BASE_URL", "http://localhost:2435")
# In a container the server finds the service by another name than the browser does.
SERVER_URL = os.environ.get("AGE_SERVER_URL", BASE_URL)
CLIENT_ID = os.environ.get("AGE_CLIENT_ID", "ak_test_sandbox")
# One text for the request and for the hash of it in the token.
CLAIMS = json.dumps({"age_thresholds": [18]})
CLAIMS_HASH = urlsafe_b64encode(sha256(CLAIMS.encode()).digest()).rstrip(b"=").decode()
# The form of the service comes from another site: only such a cookie comes along. Chrome and
# Firefox keep it on http://localhost too, Safari on https alone.
COOKIE = {"httponly": True, "samesite": "None", "secure": True}

age = Blueprint("age", __name__)


# Use: the browser goes to the service.
@age.get("/verify")
def verify():
    state, nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    query = {
        "scope": "openid",
        "response_type": "id_token",
        # The answer comes in the body of a POST, so that no token stands in a log of addresses.
        "response_mode": "form_post",
        "client_id": CLIENT_ID,
        "redirect_uri": url_for("age.callback", _external=True),
        "state": state,
        "nonce": nonce,
        "claims": CLAIMS,
    }
    reply = redirect(f"{BASE_URL}/v1/oidc/use?{urlencode(query)}")
    # Any other browser has no such cookie, so its answer is refused.
    reply.set_cookie("age_use", f"{state}.{nonce}", max_age=3600, **COOKIE)
    return reply


# And comes back with a token or an error.
@age.post("/callback")
def callback():
    answer = request.form
    nonce = asked(answer)
    check(("error" in answer) != ("id_token" in answer), "an answer is a token or an error")
    check(not {"code", "create_requested"} & answer.keys(), "neither was asked for")
    if "error" in answer:
        return "No age was proved.", 403
    claims = read_token(answer["id_token"], nonce)
    if not claims["age_thresholds"]["18"]:
        return "You are not 18 yet.", 403
    # Keep it in your own session now, and log `sub`: it names this verification if it is revoked.
    print("18 was proved by", claims["sub"])
    return "Welcome, you are 18."


@age.errorhandler(Exception)
def refuse(error):
    print("refused:", repr(error))
    return "This answer cannot be trusted.", 400


def asked(answer):
    """The nonce of the request that is answered, if this browser has sent it. It serves once."""
    state, _, nonce = request.cookies.get("age_use", "").partition(".")
    check(state and answer.get("state") == state, "this browser has sent no such request")
    after_this_request(lambda reply: reply.delete_cookie("age_use", **COOKIE) or reply)
    check(all(len(values) == 1 for _, values in answer.lists()), "a parameter comes twice")
    return nonce


def read_token(id_token, nonce):
    """The claims of a token that answers this request."""
    check(len(id_token) <= 8192, "no id_token is that long")
    # Authlib skips characters that are no base64url.
    is_token = re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", id_token, re.ASCII)
    check(is_token, "no id_token looks like that")
    required = {
        "iss": f"{BASE_URL}/v1/oidc/use",
        "aud": CLIENT_ID,
        "nonce": nonce,
        "req_claims_hash": CLAIMS_HASH,
    }
    claims = JsonWebToken(["RS256", "ES256"]).decode(
        id_token,
        JsonWebKey.import_key_set(fetch_keys()),
        claims_options={name: {"essential": True, "value": required[name]} for name in required},
    )
    # The clock of a sandbox can be ahead of this one.
    claims.validate(now=max(time.time(), claims["iat"]))
    check(claims["aud"] in (CLIENT_ID, [CLIENT_ID]), "the token is for others too")
    check("c_hash" not in claims, "no code was asked for")
    check(claims["exp"] - claims["iat"] <= 600, "a token lives for ten minutes")
    check(isinstance(claims["sub"], str) and 0 < len(claims["sub"]) <= 255, "sub is no name")
    answers = claims["age_thresholds"]
    check(list(answers) == ["18"] and isinstance(answers["18"], bool), "no answer to 18 alone")
    return claims


def fetch_keys():
    """The key set of the service, from the service itself: a redirect is refused."""
    reply = requests.get(f"{SERVER_URL}/.well-known/jwks.json", timeout=5, allow_redirects=False)
    check(reply.status_code == 200, f"the key set comes with status {reply.status_code}")
    return reply.json()


def check(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)
