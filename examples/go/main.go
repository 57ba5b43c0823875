package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const claims = `{"age_thresholds":[18]}` // One text for the request and for the hash of it in the token.

var (
	appURL    = setting("APP_URL", "http://localhost:3000")
	baseURL   = setting("AGE_BASE_URL", "http://localhost:2435")
	serverURL = setting("AGE_SERVER_URL", baseURL) // In a container, the server finds the service by another name.
	clientID  = setting("AGE_CLIENT_ID", "ak_test_sandbox")
	verifier  = newVerifier()
)

func init() {
	http.HandleFunc("/verify", verify)
	http.HandleFunc("/callback", callback)
}

func main() {
	log.Fatal(http.ListenAndServe("localhost:3000", nil))
}

// Use: the browser goes to the service.
func verify(w http.ResponseWriter, r *http.Request) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	state, nonce := fmt.Sprintf("%x", random[:16]), fmt.Sprintf("%x", random[16:])
	setCookie(w, state+"."+nonce, 3600)
	query := url.Values{
		"scope":         {"openid"},
		"response_type": {"id_token"},
		"response_mode": {"form_post"}, // A token in a query would stand in a log of addresses.
		"client_id":     {clientID},
		"redirect_uri":  {appURL + "/callback"},
		"state":         {state},
		"nonce":         {nonce},
		"claims":        {claims},
	}
	http.Redirect(w, r, baseURL+"/v1/oidc/use?"+query.Encode(), http.StatusFound)
}

// And comes back with a token or an error.
func callback(w http.ResponseWriter, r *http.Request) {
	subject, isAdult, err := readAnswer(w, r)
	switch {
	case err != nil:
		log.Print("refused: ", err)
		http.Error(w, "This answer cannot be trusted.", http.StatusBadRequest)
	case subject == "":
		http.Error(w, "No age was proved.", http.StatusForbidden)
	case !isAdult:
		http.Error(w, "You are not 18 yet.", http.StatusForbidden)
	default:
		// Keep it in your own session now, and log the subject: it names this verification if it is ever revoked.
		log.Print("18 was proved by ", subject)
		fmt.Fprint(w, "Welcome, you are 18.")
	}
}

// readAnswer reads the answer to a request of this browser. The subject is empty if the service answers with an error.
func readAnswer(w http.ResponseWriter, r *http.Request) (subject string, isAdult bool, err error) {
	cookie, err := r.Cookie("age_use")
	if err != nil || r.ParseForm() != nil {
		return "", false, fmt.Errorf("the cookie is missing, or the form is malformed")
	}
	state, nonce, _ := strings.Cut(cookie.Value, ".")
	if state == "" || r.PostForm.Get("state") != state {
		return "", false, fmt.Errorf("this browser has sent no such request")
	}
	setCookie(w, "", -1)
	for name, values := range r.PostForm {
		if len(values) > 1 || name == "code" || name == "create_requested" {
			return "", false, fmt.Errorf("%s comes twice, or was not asked for", name)
		}
	}
	idToken := r.PostForm.Get("id_token")
	if r.PostForm.Has("error") == r.PostForm.Has("id_token") || len(idToken) > 8192 {
		return "", false, fmt.Errorf("an answer is an error or a token, which is not that long")
	}
	if r.PostForm.Has("error") {
		return "", false, nil
	}
	return readToken(r.Context(), idToken, nonce)
}

// readToken checks that a token answers this request. It returns its subject, and whether it proves 18.
func readToken(ctx context.Context, idToken, nonce string) (subject string, isAdult bool, err error) {
	token, err := verifier.Verify(ctx, idToken)
	if err != nil {
		return "", false, err
	}
	var said map[string]any
	if err := token.Claims(&said); err != nil {
		return "", false, err
	}
	answers, _ := said["age_thresholds"].(map[string]any)
	isAdult, isAnswered := answers["18"].(bool)
	issued, _ := said["iat"].(float64)
	expires, _ := said["exp"].(float64)
	claimsHash := sha256.Sum256([]byte(claims))
	isOurs := token.Nonce == nonce && len(token.Audience) == 1 &&
		len(token.Subject) > 0 && len(token.Subject) <= 255 &&
		expires > issued && expires <= issued+600 &&
		said["req_claims_hash"] == base64.RawURLEncoding.EncodeToString(claimsHash[:]) &&
		said["c_hash"] == nil && isAnswered && len(answers) == 1
	if !isOurs {
		return "", false, fmt.Errorf("this token answers another request")
	}
	return token.Subject, isAdult, nil
}

// setCookie sets a cookie that comes along with the form of the service, which is another site.
func setCookie(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: "age_use", Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, SameSite: http.SameSiteNoneMode, Secure: true,
	})
}

func newVerifier() *oidc.IDTokenVerifier {
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: 5 * time.Second, CheckRedirect: noRedirect}
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), serverURL+"/.well-known/jwks.json")
	config := &oidc.Config{ClientID: clientID, SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256}}
	return oidc.NewVerifier(baseURL+"/v1/oidc/use", keys, config)
}

func setting(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}
