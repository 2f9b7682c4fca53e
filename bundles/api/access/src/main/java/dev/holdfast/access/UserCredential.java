package dev.holdfast.access;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Name and groups of a user as supplied by an identity provider or a certificate. A session of a
 * browser keeps them as {@link #text}.
 *
 * @param issuer source of the names; for an identity provider its address; not null
 * @param name of the user with the prefix of its source, such as {@link Caller#USER_PREFIX}, not
 *     null
 * @param groups of the user with the same prefix, not null
 */
public record UserCredential(String issuer, String name, List<String> groups) {
  private static final String SCHEME = "user";
  private static final int BEFORE_GROUPS = 3;

  /** Copies the list and rejects null components. */
  public UserCredential {
    Objects.requireNonNull(issuer, "issuer");
    Objects.requireNonNull(name, "name");
    groups = List.copyOf(groups);
  }

  /** Returns the form that {@link #parse} reads, in ASCII without white space. */
  public String text() {
    StringBuilder text = new StringBuilder(SCHEME);
    append(text, issuer);
    append(text, name);
    groups.forEach(group -> append(text, group));
    return text.toString();
  }

  private static void append(StringBuilder text, String part) {
    text.append('.')
        .append(
            Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(part.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Parses the output of {@link #text}.
   *
   * @param text of a session's credential, not null
   * @return empty for the credential of a token
   */
  public static Optional<UserCredential> parse(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length < BEFORE_GROUPS || !parts[0].equals(SCHEME)) {
      return Optional.empty();
    }
    List<String> values = new ArrayList<>();
    try {
      for (String part : List.of(parts).subList(1, parts.length)) {
        values.add(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8));
      }
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    return Optional.of(
        new UserCredential(values.get(0), values.get(1), values.subList(2, values.size())));
  }
}
