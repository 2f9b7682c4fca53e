package dev.holdfast.frontend.iscsi.internal.login;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * CHAP (RFC 1994) with the keys of iSCSI (RFC 7143, 12.1.3). Its state between two steps is in the
 * login's fields.
 *
 * <pre>
 *   CHAP_A=7,5 --> CHAP_A CHAP_I CHAP_C
 *   CHAP_N CHAP_R [CHAP_I CHAP_C] --> [CHAP_N CHAP_R]      authenticated
 * </pre>
 */
final class Chap {
  private static final String ALGORITHM = "chap-algorithm";
  private static final String IDENTIFIER = "chap-identifier";
  private static final String CHALLENGE = "chap-challenge";
  private static final int CHALLENGE_BYTES = 32;
  private static final int MOST_BYTES = 1024;

  /** In order of preference; the numbers are IANA's. */
  private static final List<String> ALGORITHMS = List.of("7", "5");

  private final SecureRandom random = new SecureRandom();

  /** Responds to the initiator's list of algorithms with a challenge. */
  Map<String, String> challenge(String offered, Map<String, String> fields) throws LoginException {
    List<String> known = List.of(offered.split(","));
    String algorithm =
        ALGORITHMS.stream()
            .filter(known::contains)
            .findFirst()
            .orElseThrow(() -> failure("no CHAP algorithm in common: " + offered));
    byte[] bytes = new byte[CHALLENGE_BYTES];
    random.nextBytes(bytes);
    fields.put(ALGORITHM, algorithm);
    fields.put(IDENTIFIER, String.valueOf(random.nextInt(256)));
    fields.put(CHALLENGE, HexFormat.of().formatHex(bytes));
    Map<String, String> answer = new LinkedHashMap<>();
    answer.put("CHAP_A", algorithm);
    answer.put("CHAP_I", fields.get(IDENTIFIER));
    answer.put("CHAP_C", "0x" + fields.get(CHALLENGE));
    return answer;
  }

  /** Checks the initiator's response, and responds to its own challenge, if any. */
  Map<String, String> response(
      Map<String, String> keys, Credentials credentials, Map<String, String> fields)
      throws LoginException {
    if (!fields.containsKey(CHALLENGE)) {
      throw failure("a CHAP response without a challenge");
    }
    byte[] challenge = HexFormat.of().parseHex(fields.get(CHALLENGE));
    String algorithm = fields.get(ALGORITHM);
    byte[] expected =
        digest(
            algorithm, Integer.parseInt(fields.get(IDENTIFIER)), credentials.secret(), challenge);
    fields.keySet().removeAll(List.of(CHALLENGE, ALGORITHM, IDENTIFIER));
    boolean right =
        credentials.user().equals(keys.get("CHAP_N"))
            && MessageDigest.isEqual(expected, bytes(keys.getOrDefault("CHAP_R", "")));
    if (!right) {
      throw failure("wrong CHAP name or secret");
    }
    return keys.containsKey("CHAP_C")
        ? mutual(keys, credentials, algorithm, challenge)
        : new LinkedHashMap<>();
  }

  private static Map<String, String> mutual(
      Map<String, String> keys, Credentials credentials, String algorithm, byte[] ours)
      throws LoginException {
    Credentials.Own own =
        credentials.own().orElseThrow(() -> failure("the target has no secret for this initiator"));
    byte[] theirs = bytes(keys.get("CHAP_C"));
    if (MessageDigest.isEqual(ours, theirs) || own.secret().equals(credentials.secret())) {
      throw failure("the initiator's challenge or secret is the target's own");
    }
    int identifier;
    try {
      identifier = Integer.decode(keys.getOrDefault("CHAP_I", ""));
    } catch (NumberFormatException e) {
      throw failure("CHAP_I: expected a number from 0 to 255");
    }
    Map<String, String> answer = new LinkedHashMap<>();
    answer.put("CHAP_N", own.user());
    answer.put(
        "CHAP_R",
        "0x" + HexFormat.of().formatHex(digest(algorithm, identifier, own.secret(), theirs)));
    return answer;
  }

  private static byte[] digest(String algorithm, int identifier, String secret, byte[] challenge)
      throws LoginException {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm.equals("7") ? "SHA-256" : "MD5");
      digest.update((byte) identifier);
      digest.update(secret.getBytes(StandardCharsets.UTF_8));
      return digest.digest(challenge);
    } catch (NoSuchAlgorithmException e) {
      throw new LoginException(LoginException.TARGET_ERROR, "CHAP needs " + e.getMessage());
    }
  }

  /** Reads a binary value: hexadecimal after 0x, base64 after 0b. */
  private static byte[] bytes(String value) throws LoginException {
    if (value.length() > MOST_BYTES * 2 + 2) {
      throw failure("a binary value is too long");
    }
    String digits = value.length() < 2 ? "" : value.substring(2);
    try {
      return switch (value
          .toLowerCase(Locale.ROOT)
          .substring(0, value.length() - digits.length())) {
        case "0x" -> HexFormat.of().parseHex(digits.length() % 2 == 0 ? digits : '0' + digits);
        case "0b" -> Base64.getDecoder().decode(digits);
        default -> throw failure("a binary value is neither hexadecimal nor base64");
      };
    } catch (IllegalArgumentException e) {
      throw failure("a binary value is neither hexadecimal nor base64");
    }
  }

  private static LoginException failure(String message) {
    return new LoginException(LoginException.AUTHENTICATION, message);
  }
}
