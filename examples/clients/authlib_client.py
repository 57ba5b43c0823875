# authlib_client.py
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import HybridIDToken

BASE_URL = "http://localhost:2435"
client = OAuth2Session("ak_test_sandbox", "sk_test_sandbox")


def use_url(state, nonce, scope="openid"):
    url, _ = client.create_authorization_url(
        f"{BASE_URL}/v1/oidc/use",
        state=state,
        nonce=nonce,
        scope=scope,
        response_type="id_token",
        response_mode="query",
        redirect_uri="http://localhost:3000/callback",
        claims=json.dumps({"age_thresholds": [18]}),
    )
    return url


def read_answer(url, state, nonce):
    answer = dict(parse_qsl(urlsplit(url).query))
    if answer.get("state") != state:
        raise ValueError("this browser has sent no such request")
    keys = client.get(f"{BASE_URL}/.well-known/jwks.json", withhold_token=True).json()
    claims = JsonWebToken(["RS256", "ES256"]).decode(
        answer["id_token"],
        JsonWebKey.import_key_set(keys),
        claims_cls=HybridIDToken,
        claims_options={
            "iss": {"essential": True, "value": f"{BASE_URL}/v1/oidc/use"},
            "aud": {"essential": True, "value": client.client_id},
        },
        claims_params={"nonce": nonce, "client_id": client.client_id, "code": answer.get("code")},
    )
    claims.validate()
    return claims


def create_url(state, signals):
    shown = {
        "client_id": client.client_id,
        "scope": "openid",
        "response_type": "none",
        "redirect_uri": "http://localhost:3000/created",
    }
    form = {"client_secret": client.client_secret, "type": "age_verification", "state": state}
    form["authorization_details"] = json.dumps(signals)
    pushed = client.post(f"{BASE_URL}/v1/oidc/create/par", data={**shown, **form}, withhold_token=True)
    pushed.raise_for_status()
    return f"{BASE_URL}/v1/oidc/create?{urlencode({**shown, 'request_uri': pushed.json()['request_uri']})}"


def upgrade(code, signals):
    # The session keeps the token: one session for each user who is upgraded.
    session = OAuth2Session(client.client_id, client.client_secret)
    session.fetch_token(f"{BASE_URL}/v1/oidc/use/token", grant_type="authorization_code", code=code)
    upgraded = session.post(f"{BASE_URL}/v1/svc/upgrade", json={"authorization_details": signals})
    upgraded.raise_for_status()
    return upgraded.json()
