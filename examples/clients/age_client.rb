# age_client.rb
require "openid_connect"

SWD.url_builder = URI::HTTP # for a sandbox without https

class AgeClient
  BASE_URL = "http://localhost:2435"

  def initialize
    @config = OpenIDConnect::Discovery::Provider::Config.discover!("#{BASE_URL}/v1/oidc/use")
    @client = OpenIDConnect::Client.new(
      identifier: "ak_test_sandbox",
      secret: "sk_test_sandbox",
      redirect_uri: "http://localhost:3000/callback",
      authorization_endpoint: @config.authorization_endpoint,
      token_endpoint: @config.token_endpoint
    )
  end

  def use_url(state:, nonce:, scope: "openid")
    @client.authorization_uri(
      scope: scope,
      state: state,
      nonce: nonce,
      response_type: :id_token,
      response_mode: :query,
      claims: { age_thresholds: [18] }.to_json
    )
  end

  def read_answer(answer, state:, nonce:)
    raise "this browser has sent no such request" unless answer["state"] == state

    token = OpenIDConnect::ResponseObject::IdToken.decode(answer["id_token"], @config.jwks)
    token.verify!(issuer: @config.issuer, client_id: @client.identifier, nonce: nonce)
    token.raw_attributes
  end

  def upgrade(code:, signals:)
    @client.authorization_code = code
    body = { authorization_details: signals }.to_json
    response = @client.access_token!.post("#{BASE_URL}/v1/svc/upgrade", body, "Content-Type" => "application/json")
    raise "the age key was not upgraded: #{response.status}" unless response.status == 200

    JSON.parse(response.body)
  end
end
