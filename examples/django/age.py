import hashlib
import json
import os
import re
import secrets
import uuid
from base64 import b64encode, urlsafe_b64encode
from datetime import datetime, timezone
from functools import wraps
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import jwt
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

BASE_URL = os.environ.get("AGE_BASE_URL", "http://localhost:2435")
# In a container the server finds the service by another name than the browser does.
SERVER_URL = os.environ.get("AGE_SERVER_URL", BASE_URL)
CLIENT_ID = os.environ.get("AGE_CLIENT_ID", "ak_test_sandbox")
CLIENT_SECRET = os.environ.get("AGE_CLIENT_SECRET", "sk_test_sandbox")
# One text for the request and for the hash of it in the token.
CLAIMS = json.dumps({"age_thresholds": [18]})
# The form of the service comes from another site: only such a cookie comes along. Chrome and Firefox keep it on
# http://localhost too, Safari on https alone.
COOKIE = {"httponly": True, "samesite": "None", "secure": True, "max_age": 3600}

keys = jwt.PyJWKClient(f"{SERVER_URL}/.well-known/jwks.json")


def refusing(view):
    """A view whose exceptions say that the answer cannot be trusted."""

    @wraps(view)
    def refused(request):
        try:
            return view(request)
        except Exception as error:
            print("refused:", repr(error))
            return HttpResponse("This answer cannot be trusted.", status=400)

    return refused


# Use: the browser goes to the service.
@require_GET
def verify(request):
    sent = {"state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16)}
    query = {
        "scope": "openid svc.upgrade",
        "response_type": "id_token",
        # The answer comes in the body of a POST, so that no token stands in a log of addresses.
        "response_mode": "form_post",
        "client_id": CLIENT_ID,
        "redirect_uri": request.build_absolute_uri("/callback"),
        **sent,
        "claims": CLAIMS,
        "can_create": "true",
    }
    return ask("age_use", sent, f"{BASE_URL}/v1/oidc/use?{urlencode(query)}")


# And comes back with a token, a request to create, or an error. The form is not one of this site: state ties it to the browser.
@csrf_exempt
@require_POST
@refusing
def callback(request):
    answer = request.POST
    nonce = asked(request, "age_use", answer)
    if len({"error", "create_requested", "id_token"} & answer.keys()) != 1:
        raise ValueError("an answer is a token, a request to create or an error")
    if "error" in answer:
        return HttpResponse("No age was proved.", status=403)
    if answer.get("create_requested") == "true":
        return create(request)

    code = answer.get("code")
    claims = read_token(answer["id_token"], nonce, code)
    # Every threshold failed: the age key can be upgraded with an age that your app verifies itself.
    if code is not None:
        upgrade(code)
        return HttpResponse("Your age key says more now.")
    if not claims["age_thresholds"]["18"]:
        return HttpResponse("You are not 18 yet.", status=403)
    # Keep it in your own session now, and log `sub`: it names this verification if it is ever revoked.
    print("18 was proved by", claims["sub"])
    return HttpResponse("Welcome, you are 18.")


# Create ends here: no error means that the age key was saved.
@require_GET
@refusing
def created(request):
    asked(request, "age_create", request.GET)
    if "error" in request.GET:
        return HttpResponse("No age key was saved.", status=403)
    return HttpResponse("Your age key is saved.")


urlpatterns = [path("verify", verify), path("callback", callback), path("created", created)]


def ask(flow, sent, url):
    """Sends the browser to the service. A cookie keeps what was sent, so that in any other browser the answer is refused."""
    response = HttpResponseRedirect(url)
    response.set_cookie(flow, f"{sent['state']}.{sent['nonce']}", **COOKIE)
    return response


def asked(request, flow, answer):
    """The nonce of the request that is answered, if this browser has sent it. It serves once."""
    state, _, nonce = request.COOKIES.get(flow, "").partition(".")
    if not state or answer.get("state") != state:
        raise ValueError("this browser has sent no such request")
    if any(len(values) > 1 for _, values in answer.lists()):
        raise ValueError("a parameter comes twice")
    request.answered = flow
    return nonce


class ForgetAnswered:
    """Middleware that removes the cookie of a request that was answered, whatever the answer was."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if hasattr(request, "answered"):
            response.set_cookie(request.answered, "", **{**COOKIE, "max_age": 0})
        return response


def read_token(id_token, nonce, code):
    """The claims of a token that answers this request."""
    if not re.fullmatch(r"[\w.-]{1,8192}", id_token, re.ASCII) or "crit" in jwt.get_unverified_header(id_token):
        raise ValueError("no id_token looks like that")
    claims = jwt.decode(
        id_token,
        keys.get_signing_key_from_jwt(id_token).key,
        algorithms=["RS256", "ES256"],
        issuer=f"{BASE_URL}/v1/oidc/use",
        audience=CLIENT_ID,
        # The clock of a sandbox can be ahead of this one.
        options={"require": ["exp", "iat", "iss", "aud", "sub", "nonce"], "verify_iat": False},
    )
    answers = claims["age_thresholds"]
    is_ours = (
        claims["nonce"] == nonce
        and claims["aud"] in (CLIENT_ID, [CLIENT_ID])
        and claims["req_claims_hash"] == base64url_hash(CLAIMS, 32)
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


def create(request):
    """Pushes the age that your app has verified, and sends the browser to save it."""
    sent = {"state": secrets.token_urlsafe(16), "nonce": ""}
    common = {
        "client_id": CLIENT_ID,
        "scope": "openid",
        "response_type": "none",
        "redirect_uri": request.build_absolute_uri("/created"),
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


def call(path, body, headers=None):
    """A POST; a form unless the headers say otherwise."""
    try:
        with urlopen(Request(SERVER_URL + path, body.encode(), headers or {}), timeout=5) as reply:
            return json.load(reply)
    except HTTPError as error:
        raise ValueError(f"{path}: {error.read().decode()}") from error


def base64url_hash(text, size):
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:size]).rstrip(b"=").decode()
