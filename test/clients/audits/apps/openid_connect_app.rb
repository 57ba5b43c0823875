# Ruby's openid_connect, which knows the token of an answer and the nonce that was sent.
require "openid_connect"
require "webrick"

SWD.url_builder = URI::HTTP # for a sandbox without https

config = OpenIDConnect::Discovery::Provider::Config.discover!(ENV.fetch("ISSUER"))
client = OpenIDConnect::Client.new(
  identifier: "ak_test_sandbox",
  secret: "sk_test_sandbox",
  redirect_uri: "#{ENV.fetch("APP_URL")}/callback",
  authorization_endpoint: config.authorization_endpoint,
  token_endpoint: config.token_endpoint
)
server = WEBrick::HTTPServer.new(
  BindAddress: "localhost", Port: ENV.fetch("PORT"), AccessLog: [], Logger: WEBrick::Log.new(File::NULL)
)

server.mount_proc("/verify") do |_request, response|
  nonce = SecureRandom.hex(16)
  # The session of an app, which a form_post from another site finds.
  response["Set-Cookie"] = "nonce=#{nonce}; Path=/; HttpOnly; SameSite=None"
  uri = client.authorization_uri(
    scope: "openid svc.upgrade",
    state: SecureRandom.hex(16),
    nonce: nonce,
    response_type: :id_token,
    response_mode: :form_post,
    claims: { age_thresholds: [18] }.to_json
  )
  response.set_redirect(WEBrick::HTTPStatus::Found, uri)
end

read_answer = lambda do |answer, nonce|
  token = OpenIDConnect::ResponseObject::IdToken.decode(answer["id_token"], config.jwks)
  token.verify!(issuer: config.issuer, client_id: client.identifier, nonce: nonce)
  token.raw_attributes["age_thresholds"]["18"] == true
end

upgrade = lambda do |code|
  client.authorization_code = code
  reply = client.access_token!.post(ENV.fetch("UPGRADE_URL"), ENV.fetch("UPGRADE"), "Content-Type" => "application/json")
  raise reply.status.to_s unless reply.status == 200
end

server.mount_proc("/callback") do |request, response|
  nonce = request.cookies.find { |cookie| cookie.name == "nonce" }&.value
  is_adult = read_answer.call(request.query, nonce)
  if request.query.key?("code")
    upgrade.call(request.query["code"])
    next response.body = "Your age key says more now."
  end
  response.status, response.body = is_adult ? [200, "Welcome, you are 18."] : [403, "You are not 18 yet."]
rescue StandardError
  response.status, response.body = [400, "This answer cannot be trusted."]
end

trap("TERM") { server.shutdown }
server.start
