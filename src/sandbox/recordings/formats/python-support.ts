/** What a test file for pytest has beside its test. */
export const PYTHON_SUPPORT = `
class Sandbox:
    """A tenant: a sandbox of its own, with its base URL, clock, personas and flows."""

    def __init__(self, url):
        self.url = url

    def control(self, method, path, body=None):
        token = os.environ.get("AGEKEY_SANDBOX_CONTROL_TOKEN")
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        reply = requests.request(method, f"{self.url}/_sandbox{path}", json=body, headers=headers, timeout=10)
        assert reply.ok, reply.text

    def send(self, path, query=None, form=None, body=None, auth=None, token=None, accept=None):
        """Sends a request as the browser or the server of the app would; a redirect is not followed."""
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **({"Accept": accept} if accept else {})}
        return requests.request(
            "POST" if query is None else "GET", self.url + path,
            params=query, data=form, json=body, auth=auth, headers=headers, allow_redirects=False, timeout=10,
        )


@pytest.fixture
def sandbox():
    root = Sandbox(os.environ.get("AGEKEY_SANDBOX_URL", "http://localhost:2435"))
    tenant = f"test-{uuid.uuid4()}"
    root.control("PUT", f"/tenants/{tenant}", SETTINGS)
    yield Sandbox(f"{root.url}/t/{tenant}")
    root.control("DELETE", f"/tenants/{tenant}")


def callback_in(answer, place):
    """What the browser brings to the app: in the fragment or the query of an address, or as the fields of a form."""
    if place == "form":
        fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', answer.text)
        # As the journal keeps them: of a field that comes twice the last one.
        return list({unescape(name): unescape(value) for name, value in fields}.items())
    address = urlsplit(answer.headers["Location"])
    return parse_qsl(address.fragment if place == "fragment" else address.query, keep_blank_values=True)


def thresholds_in(callback):
    """What the id_token says; an app validates it first."""
    payload = dict(callback)["id_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["age_thresholds"]
`
