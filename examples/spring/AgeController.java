package shop;

import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.MappedJwtClaimSetConverter;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

@RestController
class AgeController {
  /** One text for the request and for the hash of it in the token. */
  private static final String CLAIMS = "{\"age_thresholds\":[18]}";

  private static final String COOKIE = "age_use";
  private final String baseUrl;
  private final String clientId;
  private final String appUrl;
  private final NimbusJwtDecoder decoder;

  AgeController(
      @Value("${age.base-url:http://localhost:2435}") String baseUrl,
      @Value("${age.client-id:ak_test_sandbox}") String clientId,
      @Value("${age.app-url:http://localhost:3000}") String appUrl) {
    this.baseUrl = baseUrl;
    this.clientId = clientId;
    this.appUrl = appUrl;
    decoder =
        NimbusJwtDecoder.withJwkSetUri(baseUrl + "/.well-known/jwks.json")
            .jwsAlgorithms(algorithms -> algorithms.addAll(Set.of(SignatureAlgorithm.RS256, SignatureAlgorithm.ES256)))
            .build();
    // An absent iat is an error; by default Spring sets it to one second before exp.
    decoder.setClaimSetConverter(MappedJwtClaimSetConverter.withDefaults(Map.of("iat", iat -> ((Date) iat).toInstant())));
    decoder.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            new JwtTimestampValidator(Duration.ZERO),
            new JwtIssuerValidator(baseUrl + "/v1/oidc/use"),
            new JwtClaimValidator<List<String>>("aud", List.of(clientId)::equals)));
  }

  /** Use: the browser goes to the service. */
  @GetMapping("/verify")
  ResponseEntity<Void> verify() {
    String state = UUID.randomUUID().toString();
    String nonce = UUID.randomUUID().toString();
    URI use =
        UriComponentsBuilder.fromUriString(baseUrl + "/v1/oidc/use")
            .queryParam("scope", "openid")
            .queryParam("response_type", "id_token")
            .queryParam("response_mode", "form_post")
            .queryParam("client_id", clientId)
            .queryParam("redirect_uri", "{redirect}")
            .queryParam("state", state)
            .queryParam("nonce", nonce)
            .queryParam("claims", "{claims}")
            .build(appUrl + "/callback", CLAIMS);
    return ResponseEntity.status(302)
        .location(use)
        .header(HttpHeaders.SET_COOKIE, cookie(state + "." + nonce, 3600))
        .build();
  }

  /** And comes back with a token or an error. */
  @PostMapping("/callback")
  ResponseEntity<String> callback(
      @CookieValue(COOKIE) String sent,
      @RequestParam MultiValueMap<String, String> answer,
      HttpServletResponse response)
      throws NoSuchAlgorithmException {
    response.addHeader(HttpHeaders.SET_COOKIE, cookie("", 0));
    String[] asked = sent.split("\\.");
    check(asked.length == 2 && asked[0].equals(answer.getFirst("state")), "this browser has sent no such request");
    check(answer.values().stream().allMatch(values -> values.size() == 1), "a parameter comes twice");
    check(answer.containsKey("error") != answer.containsKey("id_token"), "an answer is a token or an error");
    check(!answer.containsKey("create_requested"), "create was not offered");
    if (answer.containsKey("error")) return ResponseEntity.status(403).body("No age was proved.");
    return isAdult(answer.getFirst("id_token"), asked[1])
        ? ResponseEntity.ok("Welcome, you are 18.")
        : ResponseEntity.status(403).body("You are not 18 yet.");
  }

  @ExceptionHandler
  ResponseEntity<String> refuse(Exception error) {
    return ResponseEntity.badRequest().body("This answer cannot be trusted.");
  }

  private boolean isAdult(String idToken, String nonce) throws NoSuchAlgorithmException {
    check(idToken.length() <= 8192, "no id_token is that long");
    // Signature, alg, exp, iss and aud.
    Jwt token = decoder.decode(idToken);
    check(nonce.equals(token.getClaims().get("nonce")), "the nonce is that of another request");
    byte[] sum = MessageDigest.getInstance("SHA-256").digest(CLAIMS.getBytes(StandardCharsets.UTF_8));
    String hash = Base64.getUrlEncoder().withoutPadding().encodeToString(sum);
    check(hash.equals(token.getClaims().get("req_claims_hash")), "the token answers other claims");
    check(!token.hasClaim("c_hash"), "a code was not asked for");
    check(token.getExpiresAt() != null, "exp is missing");
    check(!token.getIssuedAt().plusSeconds(600).isBefore(token.getExpiresAt()), "a token lives for ten minutes");
    String sub = token.getSubject();
    check(sub != null && !sub.isEmpty() && sub.length() <= 255, "sub is missing, empty or too long");
    Map<String, Object> answers = token.getClaimAsMap("age_thresholds");
    check(answers != null && answers.size() == 1 && answers.get("18") instanceof Boolean, "no answer to 18");
    return Boolean.TRUE.equals(answers.get("18"));
  }

  /** The form of the service comes from another site: only a cookie with SameSite=None and Secure comes along. */
  private static String cookie(String value, int seconds) {
    return COOKIE + "=" + value + "; Path=/; Max-Age=" + seconds + "; Secure; HttpOnly; SameSite=None";
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) throw new IllegalArgumentException(otherwise);
  }
}
