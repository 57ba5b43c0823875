from flask import Flask

from age import age

app = Flask(__name__)
app.register_blueprint(age)
