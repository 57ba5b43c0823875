// go-oidc with x/oauth2, which leave state and nonce to their caller.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     "ak_test_sandbox",
		ClientSecret: "sk_test_sandbox",
		Endpoint:     provider.Endpoint(),
		RedirectURL:  os.Getenv("APP_URL") + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "svc.upgrade"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("/verify", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL(random(),
			oidc.Nonce(random()),
			oauth2.SetAuthURLParam("response_type", "id_token"),
			oauth2.SetAuthURLParam("response_mode", "form_post"),
			oauth2.SetAuthURLParam("claims", `{"age_thresholds":[18]}`),
		), http.StatusFound)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		isAdult, err := readAnswer(r, verifier)
		if code := r.PostFormValue("code"); err == nil && code != "" {
			if err = upgrade(r.Context(), config, code); err == nil {
				w.Write([]byte("Your age key says more now."))
				return
			}
		}
		if err != nil {
			http.Error(w, "This answer cannot be trusted.", http.StatusBadRequest)
			return
		}
		if !isAdult {
			http.Error(w, "You are not 18 yet.", http.StatusForbidden)
			return
		}
		w.Write([]byte("Welcome, you are 18."))
	})
	log.Fatal(http.ListenAndServe("localhost:"+os.Getenv("PORT"), nil))
}

func readAnswer(r *http.Request, verifier *oidc.IDTokenVerifier) (bool, error) {
	token, err := verifier.Verify(r.Context(), r.PostFormValue("id_token"))
	if err != nil {
		return false, err
	}
	var claims struct {
		AgeThresholds map[string]any `json:"age_thresholds"`
	}
	err = token.Claims(&claims)
	return claims.AgeThresholds["18"] == true, err
}

func upgrade(ctx context.Context, config oauth2.Config, code string) error {
	token, err := config.Exchange(ctx, code)
	if err != nil {
		return err
	}
	body := strings.NewReader(os.Getenv("UPGRADE"))
	response, err := config.Client(ctx, token).Post(os.Getenv("UPGRADE_URL"), "application/json", body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

func random() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(bytes)
}
