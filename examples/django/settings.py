import os

SECRET_KEY = os.environ.get("SECRET_KEY", "only-for-this-machine")
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "age"
