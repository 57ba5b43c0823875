"""Authlib's client for Flask, which keeps state and nonce in the session."""
import json
import os

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, request, session

app = Flask(__name__)
app.secret_key = os.urandom(16)
app.config["SESSION_COOKIE_SAMESITE"] = "None"  # a form_post comes from another site
oauth = OAuth(app)
age = oauth.register(
    "age",
    client_id="ak_test_sandbox",
    client_secret="sk_test_sandbox",
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid svc.upgrade"},
)


@app.get("/verify")
def verify():
    return age.authorize_redirect(
        os.environ["APP_URL"] + "/callback",
        response_type="id_token",
        response_mode="form_post",
        claims=json.dumps({"age_thresholds": [18]}),
    )


@app.post("/callback")
def callback():
    # The steps of its authorize_access_token, which knows no answer without a code.
    if "error" in request.form:
        raise OAuthError(request.form["error"], request.form.get("error_description"))
    state = request.form.get("state")
    asked = age.framework.get_state_data(session, state)
    age.framework.clear_state_data(session, state)
    age._format_state_params(asked, {})
    claims = age.parse_id_token(request.form, nonce=asked["nonce"])
    if "code" in request.form:
        token = age.fetch_access_token(code=request.form["code"])
        age.post(os.environ["UPGRADE_URL"], token=token, json=json.loads(os.environ["UPGRADE"])).raise_for_status()
        return "Your age key says more now."
    return ("Welcome, you are 18.", 200) if claims["age_thresholds"]["18"] is True else ("You are not 18 yet.", 403)


@app.errorhandler(Exception)
def refuse(_error):
    return "This answer cannot be trusted.", 400
