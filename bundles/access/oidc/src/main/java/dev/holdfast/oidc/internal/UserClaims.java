package dev.holdfast.oidc.internal;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.holdfast.access.Caller;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Derives the name and groups of a user from the claims of a token. */
final class UserClaims {
  private static final int LONGEST = 256;
  private static final int MOST_GROUPS = 500;

  private UserClaims() {}

  /**
   * Returns the user of a valid token.
   *
   * @throws StorageException FORBIDDEN when a claim is missing or cannot be used
   */
  static UserCredential user(JWTClaimsSet claims, OidcSettings settings) throws StorageException {
    String name = text(settings.nameClaim(), claims.getClaim(settings.nameClaim()));
    if (settings.nameClaim().equals("email")
        && !Objects.equals(claims.getClaim("email_verified"), true)) {
      throw refused("the provider did not verify the address " + name);
    }
    List<String> groups = new ArrayList<>();
    for (Object group : list(claims.getClaim(settings.groupsClaim()))) {
      groups.add(Caller.USER_PREFIX + text(settings.groupsClaim(), group));
    }
    if (groups.size() > MOST_GROUPS) {
      throw refused("the token names " + groups.size() + " groups, at most " + MOST_GROUPS);
    }
    return new UserCredential(settings.issuer(), Caller.USER_PREFIX + name, groups);
  }

  private static List<?> list(Object claim) {
    if (claim instanceof List<?> several) {
      return several;
    }
    return claim == null ? List.of() : List.of(claim);
  }

  private static String text(String claim, Object value) throws StorageException {
    boolean usable =
        value instanceof String text
            && !text.isBlank()
            && text.length() <= LONGEST
            && text.chars().noneMatch(Character::isISOControl);
    if (!usable) {
      throw refused(
          "the claim \""
              + claim
              + "\" of the token is missing or is not a text of at most "
              + LONGEST
              + " characters: see the settings oidc-name-claim and oidc-groups-claim");
    }
    return (String) value;
  }

  private static StorageException refused(String reason) {
    return new StorageException(ErrorCode.FORBIDDEN, reason);
  }
}
