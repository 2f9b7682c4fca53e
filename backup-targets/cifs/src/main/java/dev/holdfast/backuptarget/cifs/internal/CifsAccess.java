package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.smbj.auth.AuthenticationContext;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A user of a file server: what a secret with Longhorn's keys says. Its text does not show it. */
final class CifsAccess {
  private static final String USER = "CIFS_USERNAME";
  private static final String PASSWORD = "CIFS_PASSWORD";

  static final List<CredentialKey> CREDENTIALS =
      List.of(
          new CredentialKey(USER, false, "Name of the user, or DOMAIN\\user."),
          new CredentialKey(PASSWORD, true, "Password of the user."));

  private final AuthenticationContext context;

  private CifsAccess(AuthenticationContext context) {
    this.context = context;
  }

  /** Reads a secret. */
  static CifsAccess of(Map<String, byte[]> secret) throws StorageException {
    String user = text(secret, USER).strip();
    String password = text(secret, PASSWORD);
    if (user.isEmpty() || password.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "credentials of the backup target: "
              + (user.isEmpty() ? USER : PASSWORD)
              + ": required: set it by 'holdfast secret set'");
    }
    int separator = user.indexOf('\\');
    return new CifsAccess(
        new AuthenticationContext(
            user.substring(separator + 1),
            password.toCharArray(),
            separator < 0 ? "" : user.substring(0, separator)));
  }

  private static String text(Map<String, byte[]> secret, String key) {
    byte[] value = secret.get(key);
    return value == null ? "" : new String(value, StandardCharsets.UTF_8);
  }

  AuthenticationContext context() {
    return context;
  }

  @Override
  public String toString() {
    return "user of a file server";
  }
}
