import hashlib
import json
import os
import re
import secrets
import time
import uuid
from base64 import b64encode, urlsafe_b64encode
from datetime import datetime, timezone
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from authlib.jose import JsonWebKey, JsonWebToken
from flask import Blueprint, after_this_request, make_response, redirect, request, url_for

BASE_URL = os.environ.get("AGE_BASE_URL", "http://localhost:2435")
# In a container the server finds the service by another name than the browser does.
SERVER_URL = os.environ.get("AGE_SERVER_URL", BASE_URL)
CLIENT_ID = os.environ.get("AGE_CLIENT_ID", "ak_test_sandbox")
CLIENT_SECRET = os.environ.get("AGE_CLIENT_SECRET", "sk_test_sandbox")
# One text for the request and for the hash of it in the token.
CLAIMS = json.dumps({"age_thresholds": [18]})

# The form of the service comes from another site: only such a cookie comes along. Chrome and Firefox keep it on
# http://localhost too, Safari on https alone.
COOKIE = {"httponly": True, "samesite": "None", "secure": True}

age = Blueprint("age", __name__)


# Use: the browser goes to the service.
@age.get("/verify")
def verify():
    sent = {"state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16)}
    query = {
        "scope": "openid svc.upgrade",
        "response_type": "id_token",
        # The answer comes in the body of a POST, so that no token stands in a log of addresses.
        "response_mode": "form_post",
        "client_id": CLIENT_ID,
        "redirect_uri": url_for("age.callback", _external=True),
        **sent,
        "claims": CLAIMS,
        "can_create": "true",
    }
    return ask("age_use", sent, f"{BASE_URL}/v1/oidc/use?{urlencode(query)}")


# And comes back with a token, a request to create, or an error.
@age.post("/callback")
def callback():
    answer = request.form
    nonce = asked("age_use", answer)
    if len({"error", "create_requested", "id_token"} & answer.keys()) != 1:
        raise ValueError("an answer is a token, a request to create or an error")
    if "error" in answer:
        return "No age was proved.", 403
    if answer.get("create_requested") == "true":
        return create()

    code = answer.get("code")
    claims = read_token(answer["id_token"], nonce, code)
    # Every threshold failed: the age key can be upgraded with an age that your app verifies itself.
    if code is not None:
        upgrade(code)
        return "Your age key says more now."
    if not claims["age_thresholds"]["18"]:
        return "You are not 18 yet.", 403
    # Keep it in your own session now, and log `sub`: it names this verification if it is ever revoked.
    print("18 was proved by", claims["sub"])
    return "Welcome, you are 18."


# Create ends here: no error means that the age key was saved.
@age.get("/created")
def created():
    asked("age_create", request.args)
    if "error" in request.args:
        return "No age key was saved.", 403
    return "Your age key is saved."


@age.errorhandler(Exception)
def refuse(error):
    print("refused:", repr(error))
    return "This answer cannot be trusted.", 400


def ask(flow, sent, url):
    """Sends the browser to the service. A cookie keeps what was sent, so that in any other browser the answer is refused."""
    reply = make_response(redirect(url))
    reply.set_cookie(flow, f"{sent['state']}.{sent['nonce']}", max_age=3600, **COOKIE)
    return reply


def asked(flow, answer):
    """The nonce of the request that is answered, if this browser has sent it. It serves once."""
    state, _, nonce = request.cookies.get(flow, "").partition(".")
    if not state or answer.get("state") != state:
        raise ValueError("this browser has sent no such request")
    if any(len(values) > 1 for _, values in answer.lists()):
        raise ValueError("a parameter comes twice")
    after_this_request(lambda reply: reply.delete_cookie(flow, **COOKIE) or reply)
    return nonce


def read_token(id_token, nonce, code):
    """The claims of a token that answers this request."""
    if len(id_token) > 8192 or not re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", id_token, re.ASCII):
        raise ValueError("no id_token looks like that")
    required = {
        "iss": f"{BASE_URL}/v1/oidc/use",
        "aud": CLIENT_ID,
        "nonce": nonce,
        "req_claims_hash": base64url_hash(CLAIMS, 32),
    }
    claims = JsonWebToken(["RS256", "ES256"]).decode(
        id_token,
        JsonWebKey.import_key_set(call("/.well-known/jwks.json")),
        claims_options={name: {"essential": True, "value": value} for name, value in required.items()},
    )
    # The clock of a sandbox can be ahead of this one.
    claims.validate(now=max(time.time(), claims["iat"]))
    answers = claims["age_thresholds"]
    is_ours = (
        claims["aud"] in (CLIENT_ID, [CLIENT_ID])
        and claims.get("c_hash") == (code and base64url_hash(code, 16))
        and claims["exp"] - claims["iat"] <= 600
        and isinstance(claims["sub"], str)
        and 0 < len(claims["sub"]) <= 255
        and list(answers) == ["18"]
        and isinstance(answers["18"], bool)
    )
    if not is_ours:
        raise ValueError("this token answers another request")
    return claims


def create():
    """Pushes the age that your app has verified, and sends the browser to save it."""
    sent = {"state": secrets.token_urlsafe(16), "nonce": ""}
    common = {
        "client_id": CLIENT_ID,
        "scope": "openid",
        "response_type": "none",
        "redirect_uri": url_for("age.created", _external=True),
    }
    form = {
        **common,
        "client_secret": CLIENT_SECRET,
        "type": "age_verification",
        "state": sent["state"],
        "authorization_details": json.dumps([verified_age()]),
    }
    pushed = call("/v1/oidc/create/par", urlencode(form))
    if not isinstance(pushed["request_uri"], str):
        raise ValueError("no request_uri came")
    query = {**common, "request_uri": pushed["request_uri"]}
    return ask("age_create", sent, f"{BASE_URL}/v1/oidc/create?{urlencode(query)}")


def upgrade(code):
    """Exchanges the code and adds the age that your app has verified to the user's age key."""
    credentials = b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    token = call(
        "/v1/oidc/use/token",
        urlencode({"grant_type": "authorization_code", "code": code}),
        {"Authorization": f"Basic {credentials}"},
    )
    if not token["access_token"]:
        raise ValueError("no access_token came")
    if token["token_type"].lower() != "bearer":
        raise ValueError("a token of another type is of no use")
    upgraded = call(
        "/v1/svc/upgrade",
        json.dumps({"authorization_details": [verified_age()]}),
        {"Authorization": f"Bearer {token['access_token']}", "Content-Type": "application/json"},
    )
    if upgraded != "OK":
        raise ValueError("the age key was not upgraded")


def verified_age():
    """Stands for the check that your app has made: a scanned document."""
    return {
        "type": "age_verification",
        "method": "id_doc_scan",
        "age": {"date_of_birth": "1990-05-17"},
        "verification_id": str(uuid.uuid4()),
        "verified_at": datetime.now(timezone.utc).isoformat(),
        "provenance": "/veratad/roc",
    }


class NoRedirects(HTTPRedirectHandler):
    """A redirect would carry credentials to another server."""

    def redirect_request(self, *_):
        return None


opener = build_opener(NoRedirects)


def call(path, body=None, headers=None):
    """GET without a body, POST with one; a form unless the headers say otherwise."""
    try:
        with opener.open(Request(SERVER_URL + path, body and body.encode(), headers or {}), timeout=5) as reply:
            return json.load(reply)
    except HTTPError as error:
        raise ValueError(f"{path}: {error.read().decode()}") from error


def base64url_hash(text, size):
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:size]).rstrip(b"=").decode()
