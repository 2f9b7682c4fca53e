package dev.holdfast.oidc.internal;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.secret.Secrets;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The identity provider of the settings. Its metadata is read at its first use. */
@Component(service = {IdentityProvider.class, OidcIdentityProvider.class})
public final class OidcIdentityProvider implements IdentityProvider {
  /** Secret with the password of the cluster at the provider, if it has one. */
  static final String SECRET = "oidc";

  static final String SECRET_KEY = "client-secret";
  private static final Logger LOG = LoggerFactory.getLogger(OidcIdentityProvider.class);

  private final Secrets secrets;
  private final InstantSource clock;
  private final ProviderHttp http = new ProviderHttp();
  private final VerifiedTokens verified = new VerifiedTokens();
  private volatile OidcSettings settings = OidcSettings.NONE;

  /** Empty until the metadata was read. Written under the lock of this object. */
  private volatile Optional<Provider> provider = Optional.empty();

  /** Reads the password of the cluster from secrets. */
  @Activate
  public OidcIdentityProvider(@Reference Secrets secrets) {
    this(secrets, InstantSource.system());
  }

  OidcIdentityProvider(Secrets secrets, InstantSource clock) {
    this.secrets = secrets;
    this.clock = clock;
  }

  /** Applies new settings; tokens that were verified with others are verified again. */
  synchronized void configure(OidcSettings wanted) {
    if (!wanted.equals(settings)) {
      settings = wanted;
      provider = Optional.empty();
      verified.clear();
      LOG.info(
          "users of an identity provider: {}",
          wanted.isComplete() ? "admitted from " + wanted.issuer() : "not admitted");
    }
  }

  private synchronized Provider provider() throws StorageException {
    if (!settings.isComplete()) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "this cluster uses no identity provider: set oidc-issuer and oidc-client-id");
    }
    if (provider.isEmpty()) {
      provider = Optional.of(Provider.discover(settings, http, clock));
    }
    return provider.get();
  }

  @Override
  public boolean isConfigured() {
    return settings.isComplete();
  }

  @Override
  public Optional<UserCredential> known(String token) {
    return verified.find(token, clock.instant());
  }

  @Override
  public UserCredential verify(String token) throws StorageException {
    Optional<UserCredential> before = known(token);
    if (before.isPresent()) {
      return before.get();
    }
    OidcSettings used = settings;
    JWTClaimsSet claims = provider().verify(token);
    UserCredential user = UserClaims.user(claims, used);
    if (used.equals(settings)) {
      verified.add(token, user, claims.getExpirationTime().toInstant());
    }
    return user;
  }

  @Override
  public boolean accepts(UserCredential user) {
    OidcSettings current = settings;
    return current.isComplete() && current.issuer().equals(user.issuer());
  }

  @Override
  public URI begin(SignInRequest request) throws StorageException {
    return provider().authorization(request);
  }

  @Override
  public UserCredential finish(SignInRequest request, String code) throws StorageException {
    OidcSettings used = settings;
    return UserClaims.user(provider().redeem(request, code, secret()), used);
  }

  private String secret() throws StorageException {
    return secrets
        .read(SECRET)
        .map((Map<String, byte[]> values) -> values.getOrDefault(SECRET_KEY, new byte[0]))
        .map(value -> new String(value, StandardCharsets.UTF_8).strip())
        .orElse("");
  }
}
