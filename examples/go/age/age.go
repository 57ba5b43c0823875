package age

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// claims is one text for the request and for the hash of it in the token.
const claims = `{"age_thresholds":[18]}`

var (
	appURL  = setting("APP_URL", "http://localhost:3000")
	baseURL = setting("AGE_BASE_URL", "http://localhost:2435")
	// In a container the server finds the service by another name than the browser does.
	serverURL    = setting("AGE_SERVER_URL", baseURL)
	clientID     = setting("AGE_CLIENT_ID", "ak_test_sandbox")
	clientSecret = setting("AGE_CLIENT_SECRET", "sk_test_sandbox")

	client = &http.Client{
		Timeout:       5 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	keys = oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), serverURL+"/.well-known/jwks.json")

	verifier = oidc.NewVerifier(baseURL+"/v1/oidc/use", keys, &oidc.Config{
		ClientID:             clientID,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256},
	})
)

// Handler serves /verify, where a user begins, and the two addresses to which the service sends the user back.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/verify", route(verify))
	mux.Handle("/callback", route(callback))
	mux.Handle("/created", route(created))
	return mux
}

type route func(http.ResponseWriter, *http.Request) error

func (serve route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := serve(w, r); err != nil {
		log.Print("refused: ", err)
		http.Error(w, "This answer cannot be trusted.", http.StatusBadRequest)
	}
}

// Use: the browser goes to the service.
func verify(w http.ResponseWriter, r *http.Request) error {
	state, nonce := ask(w, "age_use")
	query := url.Values{
		"scope":         {"openid svc.upgrade"},
		"response_type": {"id_token"},
		// The answer comes in the body of a POST, so that no token stands in a log of addresses.
		"response_mode": {"form_post"},
		"client_id":     {clientID},
		"redirect_uri":  {appURL + "/callback"},
		"state":         {state},
		"nonce":         {nonce},
		"claims":        {claims},
		"can_create":    {"true"},
	}
	http.Redirect(w, r, baseURL+"/v1/oidc/use?"+query.Encode(), http.StatusFound)
	return nil
}

// And comes back with a token, a request to create, or an error.
func callback(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	answer := r.PostForm
	nonce, err := asked(w, r, "age_use", answer)
	if err != nil {
		return err
	}
	answers := len(answer["error"]) + len(answer["create_requested"]) + len(answer["id_token"])
	if answers != 1 {
		return errors.New("an answer is a token, a request to create or an error")
	}
	if answer.Has("error") {
		http.Error(w, "No age was proved.", http.StatusForbidden)
		return nil
	}
	if answer.Get("create_requested") == "true" {
		return create(w, r)
	}

	code := answer.Get("code")
	token, isAdult, err := readToken(r.Context(), answer.Get("id_token"), nonce, code)
	if err != nil {
		return err
	}
	// Every threshold failed: the age key can be upgraded with an age that your app verifies itself.
	if code != "" {
		if err := upgrade(code); err != nil {
			return err
		}
		fmt.Fprint(w, "Your age key says more now.")
		return nil
	}
	if !isAdult {
		http.Error(w, "You are not 18 yet.", http.StatusForbidden)
		return nil
	}
	// Keep it in your own session now, and log the subject: it names this verification if it is ever revoked.
	log.Print("18 was proved by ", token.Subject)
	fmt.Fprint(w, "Welcome, you are 18.")
	return nil
}

// Create ends here: no error means that the age key was saved.
func created(w http.ResponseWriter, r *http.Request) error {
	answer := r.URL.Query()
	if _, err := asked(w, r, "age_create", answer); err != nil {
		return err
	}
	if answer.Has("error") {
		http.Error(w, "No age key was saved.", http.StatusForbidden)
		return nil
	}
	fmt.Fprint(w, "Your age key is saved.")
	return nil
}

// ask makes what a request is sent with. It stays in a cookie of this browser, so that in any other one the answer is
// refused.
func ask(w http.ResponseWriter, flow string) (state, nonce string) {
	state, nonce = random(), random()
	setCookie(w, flow, state+"."+nonce, 3600)
	return state, nonce
}

// asked gives the nonce of the request that is answered, if this browser has sent it. It serves once.
func asked(w http.ResponseWriter, r *http.Request, flow string, answer url.Values) (string, error) {
	cookie, err := r.Cookie(flow)
	if err != nil {
		return "", err
	}
	state, nonce, _ := strings.Cut(cookie.Value, ".")
	if state == "" || answer.Get("state") != state {
		return "", errors.New("this browser has sent no such request")
	}
	for _, values := range answer {
		if len(values) > 1 {
			return "", errors.New("a parameter comes twice")
		}
	}
	setCookie(w, flow, "", -1)
	return nonce, nil
}

// setCookie sets a cookie that comes along with the form of the service, which is another site. Chrome and Firefox keep it on
// http://localhost too, Safari on https alone.
func setCookie(w http.ResponseWriter, name, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     "/",
		MaxAge:   seconds,
		HttpOnly: true,
		SameSite: http.SameSiteNoneMode,
		Secure:   true,
	})
}

// readToken reads a token that answers this request, and whether it proves 18.
func readToken(ctx context.Context, idToken, nonce, code string) (*oidc.IDToken, bool, error) {
	if len(idToken) > 8192 {
		return nil, false, errors.New("no id_token is that long")
	}
	token, err := verifier.Verify(ctx, idToken)
	if err != nil {
		return nil, false, err
	}
	var said struct {
		// A bool cannot tell null from false.
		AgeThresholds map[string]*bool `json:"age_thresholds"`
		ClaimsHash    string           `json:"req_claims_hash"`
		CodeHash      string           `json:"c_hash"`
		Issued        float64          `json:"iat"`
		Expires       float64          `json:"exp"`
	}
	if err := token.Claims(&said); err != nil {
		return nil, false, err
	}
	codeHash := ""
	if code != "" {
		codeHash = hash(code, 16)
	}
	isAdult := said.AgeThresholds["18"]
	isOurs := token.Nonce == nonce &&
		len(token.Audience) == 1 &&
		said.ClaimsHash == hash(claims, 32) &&
		said.CodeHash == codeHash &&
		said.Expires-said.Issued <= 600 &&
		len(token.Subject) > 0 && len(token.Subject) <= 255 &&
		isAdult != nil && len(said.AgeThresholds) == 1
	if !isOurs {
		return nil, false, errors.New("this token answers another request")
	}
	return token, *isAdult, nil
}

// create pushes the age that your app has verified, and sends the browser to save it.
func create(w http.ResponseWriter, r *http.Request) error {
	details, err := json.Marshal(verifiedAge())
	if err != nil {
		return err
	}
	state, _ := ask(w, "age_create")
	query := url.Values{
		"client_id":     {clientID},
		"scope":         {"openid"},
		"response_type": {"none"},
		"redirect_uri":  {appURL + "/created"},
	}
	form := url.Values{
		"client_secret":         {clientSecret},
		"type":                  {"age_verification"},
		"state":                 {state},
		"authorization_details": {string(details)},
	}
	for name, values := range query {
		form[name] = values
	}
	var pushed struct {
		RequestURI string `json:"request_uri"`
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if err := call("/v1/oidc/create/par", header, form.Encode(), &pushed); err != nil {
		return err
	}
	if pushed.RequestURI == "" {
		return errors.New("the service gave no request_uri")
	}
	query.Set("request_uri", pushed.RequestURI)
	http.Redirect(w, r, baseURL+"/v1/oidc/create?"+query.Encode(), http.StatusFound)
	return nil
}

// upgrade exchanges the code and adds the age that your app has verified to the user's age key.
func upgrade(code string) error {
	var token struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
	}
	credentials := base64.StdEncoding.EncodeToString([]byte(clientID + ":" + clientSecret))
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Authorization": {"Basic " + credentials}}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}}
	if err := call("/v1/oidc/use/token", header, form.Encode(), &token); err != nil {
		return err
	}
	if token.AccessToken == "" {
		return errors.New("the service gave no access_token")
	}
	if !strings.EqualFold(token.TokenType, "bearer") {
		return errors.New("a token of another type is of no use")
	}
	details, err := json.Marshal(map[string]any{"authorization_details": verifiedAge()})
	if err != nil {
		return err
	}
	var upgraded string
	header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token.AccessToken}}
	if err := call("/v1/svc/upgrade", header, string(details), &upgraded); err != nil {
		return err
	}
	if upgraded != "OK" {
		return errors.New("the age key was not upgraded")
	}
	return nil
}

// verifiedAge stands for the check that your app has made: a scanned document.
func verifiedAge() []map[string]any {
	return []map[string]any{{
		"type":            "age_verification",
		"method":          "id_doc_scan",
		"age":             map[string]string{"date_of_birth": "1990-05-17"},
		"verification_id": random(),
		"verified_at":     time.Now().UTC().Format(time.RFC3339),
		"provenance":      "/veratad/roc",
	}}
}

func call(path string, header http.Header, body string, reply any) error {
	request, err := http.NewRequest(http.MethodPost, serverURL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = header
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s: %s: %s", path, response.Status, text)
	}
	return json.Unmarshal(text, reply)
}

// hash is base64url of the first bytes of a SHA-256 hash: all 32 for req_claims_hash, 16 for c_hash.
func hash(text string, size int) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:size])
}

func random() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func setting(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}
