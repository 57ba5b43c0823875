using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.WebUtilities;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

// One text for the request and for the hash of it in the token.
const string Claims = """{"age_thresholds":[18]}""";
string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;
var baseUrl = Setting("AGE_BASE_URL", "http://localhost:2435");
var clientId = Setting("AGE_CLIENT_ID", "ak_test_sandbox");
var appUrl = Setting("APP_URL", "http://localhost:3000");

// The form of the service comes from another site: only such a cookie comes along.
var cookie = new CookieOptions
{
    HttpOnly = true,
    Secure = true,
    SameSite = SameSiteMode.None,
    MaxAge = TimeSpan.FromHours(1),
};
var http = new HttpClient { Timeout = TimeSpan.FromSeconds(5) };
var app = WebApplication.Create(args);

// Use: the browser goes to the service.
app.MapGet("/verify", (HttpContext context) =>
{
    var (state, nonce) = (RandomText(), RandomText());
    context.Response.Cookies.Append("age_use", $"{state}.{nonce}", cookie);
    return Results.Redirect(QueryHelpers.AddQueryString($"{baseUrl}/v1/oidc/use", new Dictionary<string, string?>
    {
        ["scope"] = "openid",
        ["response_type"] = "id_token",
        ["response_mode"] = "form_post",
        ["client_id"] = clientId,
        ["redirect_uri"] = $"{appUrl}/callback",
        ["state"] = state,
        ["nonce"] = nonce,
        ["claims"] = Claims,
    }));
});

// And comes back with a token or an error.
app.MapPost("/callback", async (HttpContext context) =>
{
    try
    {
        var answer = await context.Request.ReadFormAsync();
        var sent = (context.Request.Cookies["age_use"] ?? "").Split('.');
        context.Response.Cookies.Delete("age_use", cookie);
        Check(sent.Length == 2 && answer["state"] == sent[0], "this browser has sent no such request");
        Check(answer.All(parameter => parameter.Value.Count == 1), "a parameter comes twice");
        Check(answer.ContainsKey("error") != answer.ContainsKey("id_token"), "an answer is a token or an error");
        Check(!answer.ContainsKey("create_requested"), "create was not offered");
        if (answer.ContainsKey("error")) return Results.Text("No age was proved.", statusCode: 403);
        return await IsAdult(answer["id_token"].ToString(), sent[1])
            ? Results.Text("Welcome, you are 18.")
            : Results.Text("You are not 18 yet.", statusCode: 403);
    }
    catch (Exception error)
    {
        app.Logger.LogWarning("refused: {Reason}", error.Message);
        return Results.Text("This answer cannot be trusted.", statusCode: 400);
    }
});

app.Run("http://localhost:3000");

async Task<bool> IsAdult(string idToken, string nonce)
{
    Check(idToken.Length <= 8192, "no id_token is that long");
    var keys = new JsonWebKeySet(await http.GetStringAsync($"{baseUrl}/.well-known/jwks.json"));
    var result = await new JsonWebTokenHandler().ValidateTokenAsync(idToken, new TokenValidationParameters
    {
        ValidIssuer = $"{baseUrl}/v1/oidc/use",
        ValidAudience = clientId,
        ValidAlgorithms = ["RS256", "ES256"],
        IssuerSigningKeys = keys.GetSigningKeys(),
        ClockSkew = TimeSpan.Zero,
    });
    if (!result.IsValid) throw result.Exception;
    var token = (JsonWebToken)result.SecurityToken;
    Check(!token.TryGetHeaderValue<object>("crit", out _), "crit names what this app does not know");
    Check(!string.IsNullOrEmpty(token.Kid), "the token names no key");
    Check(token.Audiences.Count() == 1, "the token is for others too");

    // The library turns text into numbers and numbers into text: these checks read the claims as they were sent.
    using var payload = JsonDocument.Parse(WebEncoders.Base64UrlDecode(token.EncodedPayload));
    var claims = payload.RootElement;
    Check(claims.GetProperty("nonce").GetString() == nonce, "the nonce is that of another request");
    Check(claims.GetProperty("req_claims_hash").GetString() == Hash(Claims), "the token answers other claims");
    Check(!claims.TryGetProperty("c_hash", out _), "a code was not asked for");
    var (iat, exp) = (claims.GetProperty("iat").GetDouble(), claims.GetProperty("exp").GetDouble());
    Check(exp - iat <= 600, "a token lives for ten minutes");
    Check(claims.GetProperty("sub").GetString()?.Length is > 0 and <= 255, "sub is empty or too long");
    var answers = claims.GetProperty("age_thresholds").EnumerateObject().ToList();
    Check(answers is [{ Name: "18", Value.ValueKind: JsonValueKind.True or JsonValueKind.False }], "no answer to 18");
    return answers[0].Value.GetBoolean();
}

static void Check(bool holds, string otherwise)
{
    if (!holds) throw new InvalidOperationException(otherwise);
}

static string Hash(string text) => WebEncoders.Base64UrlEncode(SHA256.HashData(Encoding.UTF8.GetBytes(text)));

static string RandomText() => WebEncoders.Base64UrlEncode(RandomNumberGenerator.GetBytes(16));
