import json
import os
import re
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from urllib.parse import urlencode

import jwt
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

BASE_URL = os.environ.get("AGE_BASE_URL", "http://localhost:2435")
# In a container the server finds the service by another name than the browser does.
SERVER_URL = os.environ.get("AGE_SERVER_URL", BASE_URL)
CLIENT_ID = os.environ.get("AGE_CLIENT_ID", "ak_test_sandbox")
# One text for the request and for the hash of it in the token.
CLAIMS = json.dumps({"age_thresholds": [18]})
CLAIMS_HASH = urlsafe_b64encode(sha256(CLAIMS.encode()).digest()).rstrip(b"=").decode()
# The form of the service comes from another site: only such a cookie comes along. Chrome and
# Firefox keep it on http://localhost too, Safari on https alone.
COOKIE = {"httponly": True, "samesite": "None", "secure": True, "max_age": 3600}

keys = jwt.PyJWKClient(f"{SERVER_URL}/.well-known/jwks.json")


# Use: the browser goes to the service.
@require_GET
def verify(request):
    state, nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    query = {
        "scope": "openid",
        "response_type": "id_token",
        # The answer comes in the body of a POST, so that no token stands in a log of addresses.
        "response_mode": "form_post",
        "client_id": CLIENT_ID,
        "redirect_uri": request.build_absolute_uri("/callback"),
        "state": state,
        "nonce": nonce,
        "claims": CLAIMS,
    }
    response = HttpResponseRedirect(f"{BASE_URL}/v1/oidc/use?{urlencode(query)}")
    # Any other browser has no such cookie, so its answer is refused.
    response.set_cookie("age_use", f"{state}.{nonce}", **COOKIE)
    return response


# And comes back with a form of the service, not of this site: state ties it to the browser.
@csrf_exempt
@require_POST
def callback(request):
    state, _, nonce = request.COOKIES.get("age_use", "").partition(".")
    is_asked = state and request.POST.get("state") == state
    try:
        check(is_asked, "this browser has sent no such request")
        response = read_answer(request.POST, nonce)
    except Exception as error:
        print("refused:", repr(error))
        response = HttpResponse("This answer cannot be trusted.", status=400)
    # A request is answered once, whatever the answer was.
    if is_asked:
        response.delete_cookie("age_use", samesite="None")
    return response


urlpatterns = [path("verify", verify), path("callback", callback)]


def read_answer(answer, nonce):
    """The page for an answer: a token or an error."""
    check(all(len(values) == 1 for _, values in answer.lists()), "a parameter comes twice")
    check(("error" in answer) != ("id_token" in answer), "an answer is a token or an error")
    check(not {"code", "create_requested"} & answer.keys(), "neither was asked for")
    if "error" in answer:
        return HttpResponse("No age was proved.", status=403)
    claims = read_token(answer["id_token"], nonce)
    if not claims["age_thresholds"]["18"]:
        return HttpResponse("You are not 18 yet.", status=403)
    # Keep it in your own session now, and log `sub`: it names this verification if it is revoked.
    print("18 was proved by", claims["sub"])
    return HttpResponse("Welcome, you are 18.")


def read_token(id_token, nonce):
    """The claims of a token that answers this request."""
    # PyJWT skips characters that are no base64url, and does not know crit.
    check(re.fullmatch(r"[\w.-]{1,8192}", id_token, re.ASCII), "no id_token looks like that")
    check("crit" not in jwt.get_unverified_header(id_token), "crit names what is unknown here")
    claims = jwt.decode(
        id_token,
        keys.get_signing_key_from_jwt(id_token).key,
        algorithms=["RS256", "ES256"],
        issuer=f"{BASE_URL}/v1/oidc/use",
        audience=CLIENT_ID,
        # The clock of a sandbox can be ahead of this one.
        options={"require": ["exp", "iat", "iss", "aud", "sub", "nonce"], "verify_iat": False},
    )
    check(claims["aud"] in (CLIENT_ID, [CLIENT_ID]), "the token is for others too")
    check(claims["nonce"] == nonce, "the nonce is that of another request")
    check(claims["req_claims_hash"] == CLAIMS_HASH, "the token answers other claims")
    check("c_hash" not in claims, "no code was asked for")
    check(claims["exp"] - claims["iat"] <= 600, "a token lives for ten minutes")
    check(isinstance(claims["sub"], str) and 0 < len(claims["sub"]) <= 255, "sub is no name")
    answers = claims["age_thresholds"]
    check(list(answers) == ["18"] and isinstance(answers["18"], bool), "no answer to 18 alone")
    return claims


def check(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)
