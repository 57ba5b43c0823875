"""PyJWT with its PyJWKClient, which knows tokens and nothing else of an answer."""
import json
import os
import uuid
from urllib.parse import urlencode
from urllib.request import urlopen

import jwt
from flask import Flask, redirect, request

app = Flask(__name__)
issuer = os.environ["ISSUER"]
with urlopen(issuer + "/.well-known/openid-configuration") as answer:
    service = json.load(answer)
keys = jwt.PyJWKClient(service["jwks_uri"])


@app.get("/verify")
def verify():
    query = {
        "client_id": "ak_test_sandbox",
        "scope": "openid",
        "state": str(uuid.uuid4()),
        "nonce": str(uuid.uuid4()),
        "response_type": "id_token",
        "response_mode": "form_post",
        "redirect_uri": os.environ["APP_URL"] + "/callback",
        "claims": json.dumps({"age_thresholds": [18]}),
    }
    return redirect(f"{service['authorization_endpoint']}?{urlencode(query)}")


@app.post("/callback")
def callback():
    id_token = request.form["id_token"]
    claims = jwt.decode(
        id_token,
        keys.get_signing_key_from_jwt(id_token).key,
        algorithms=service["id_token_signing_alg_values_supported"],
        audience="ak_test_sandbox",
        issuer=issuer,
    )
    return ("Welcome, you are 18.", 200) if claims["age_thresholds"]["18"] is True else ("You are not 18 yet.", 403)


@app.errorhandler(Exception)
def refuse(_error):
    return "This answer cannot be trusted.", 400
