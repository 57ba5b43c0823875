# pyjwt_client.py
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt

BASE_URL = "http://localhost:2435"
keys = jwt.PyJWKClient(f"{BASE_URL}/.well-known/jwks.json")


def use_url(state, nonce, scope="openid"):
    query = {
        "client_id": "ak_test_sandbox",
        "scope": scope,
        "state": state,
        "nonce": nonce,
        "response_type": "id_token",
        "response_mode": "query",
        "redirect_uri": "http://localhost:3000/callback",
        "claims": json.dumps({"age_thresholds": [18]}),
    }
    return f"{BASE_URL}/v1/oidc/use?{urlencode(query)}"


def read_answer(url, state, nonce):
    answer = dict(parse_qsl(urlsplit(url).query))
    if answer.get("state") != state:
        raise ValueError("this browser has sent no such request")
    claims = jwt.decode(
        answer["id_token"],
        keys.get_signing_key_from_jwt(answer["id_token"]).key,
        algorithms=["RS256", "ES256"],
        issuer=f"{BASE_URL}/v1/oidc/use",
        audience="ak_test_sandbox",
        options={"require": ["exp", "iat", "iss", "aud", "sub", "nonce"]},
    )
    if claims["nonce"] != nonce:
        raise jwt.InvalidTokenError("the nonce is that of another request")
    return claims
