"""The lines of examples/clients for Authlib, which are the module authlib_client."""
import json
import os
import uuid

import authlib_client
from flask import Flask, redirect, request, session

app = Flask(__name__)
app.secret_key = os.urandom(16)


@app.get("/verify")
def verify():
    session["sent"] = {"state": str(uuid.uuid4()), "nonce": str(uuid.uuid4())}
    return redirect(authlib_client.use_url(**session["sent"], scope="openid svc.upgrade"))


@app.get("/callback")
def callback():
    claims = authlib_client.read_answer(request.url, **session.pop("sent"))
    if "code" in request.args:
        authlib_client.upgrade(request.args["code"], json.loads(os.environ["UPGRADE"])["authorization_details"])
        return "Your age key says more now."
    return ("Welcome, you are 18.", 200) if claims["age_thresholds"]["18"] is True else ("You are not 18 yet.", 403)


@app.errorhandler(Exception)
def refuse(_error):
    return "This answer cannot be trusted.", 400
