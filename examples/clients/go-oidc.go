// age/client.go
package age

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const baseURL = "http://localhost:2435"

type Client struct {
	config   oauth2.Config
	verifier *oidc.IDTokenVerifier
}

func NewClient(ctx context.Context) (*Client, error) {
	provider, err := oidc.NewProvider(ctx, baseURL+"/v1/oidc/use")
	if err != nil {
		return nil, err
	}
	config := oauth2.Config{
		ClientID:     "ak_test_sandbox",
		ClientSecret: "sk_test_sandbox",
		Endpoint:     provider.Endpoint(),
		RedirectURL:  "http://localhost:3000/callback",
	}
	verifier := provider.Verifier(&oidc.Config{
		ClientID:             config.ClientID,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256},
	})
	return &Client{config, verifier}, nil
}

func (c *Client) UseURL(state, nonce, scope string) string {
	return c.config.AuthCodeURL(state,
		oauth2.SetAuthURLParam("scope", scope),
		oauth2.SetAuthURLParam("nonce", nonce),
		oauth2.SetAuthURLParam("response_type", "id_token"),
		oauth2.SetAuthURLParam("response_mode", "query"),
		oauth2.SetAuthURLParam("claims", `{"age_thresholds":[18]}`),
	)
}

func (c *Client) ReadAnswer(ctx context.Context, answer url.Values, state, nonce string) (*oidc.IDToken, error) {
	if answer.Get("state") != state {
		return nil, errors.New("this browser has sent no such request")
	}
	token, err := c.verifier.Verify(ctx, answer.Get("id_token"))
	if err != nil {
		return nil, err
	}
	if token.Nonce != nonce {
		return nil, errors.New("the nonce is that of another request")
	}
	return token, nil // token.Claims(&struct) reads age_thresholds
}

func (c *Client) Upgrade(ctx context.Context, code string, signals any) error {
	token, err := c.config.Exchange(ctx, code)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"authorization_details": signals})
	if err != nil {
		return err
	}
	response, err := c.config.Client(ctx, token).Post(baseURL+"/v1/svc/upgrade", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the age key was not upgraded: %s", response.Status)
	}
	return nil
}
