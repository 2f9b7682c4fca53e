package dev.holdfast.frontend.iscsi.internal.login;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Initiators that must authenticate. The file has a line for each one:
 *
 * <pre>
 *   # initiator (or * for all others)   user   secret   [own-user   own-secret]
 *   iqn.1993-08.org.debian:01:abc       alice  s3cret   target      an0ther
 * </pre>
 *
 * <p>The file is read at every login, so that a change applies from the next login on. With a file,
 * an initiator without a line is refused; without a file, initiators need no secret.
 */
public final class ChapSecrets {
  private static final String EVERYBODY = "*";

  private final Optional<Path> file;

  /** Uses the given file, if any. */
  public ChapSecrets(Optional<Path> file) {
    this.file = file;
  }

  /** Returns whether a file is configured; if so, every initiator must authenticate. */
  public boolean present() {
    return file.isPresent();
  }

  /**
   * Returns the credentials of an initiator.
   *
   * @param initiator its iSCSI name, not null
   * @throws LoginException when it has none, or the file cannot be read
   */
  public Credentials of(String initiator) throws LoginException {
    if (file.isEmpty()) {
      throw new LoginException(
          LoginException.AUTHENTICATION, "initiator " + initiator + " has no secret here");
    }
    Optional<Credentials> everybody = Optional.empty();
    for (String line : lines()) {
      List<String> words = List.of(line.trim().split("\\s+"));
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (words.size() != 3 && words.size() != 5) {
        throw new LoginException(
            LoginException.TARGET_ERROR, file.orElseThrow() + " has a line that is not an entry");
      }
      if (words.get(0).equals(initiator)) {
        return entry(words);
      }
      if (words.get(0).equals(EVERYBODY)) {
        everybody = Optional.of(entry(words));
      }
    }
    return everybody.orElseThrow(
        () ->
            new LoginException(
                LoginException.AUTHENTICATION, "initiator " + initiator + " has no secret here"));
  }

  private static Credentials entry(List<String> words) {
    return new Credentials(
        words.get(1),
        words.get(2),
        words.size() == 3
            ? Optional.empty()
            : Optional.of(new Credentials.Own(words.get(3), words.get(4))));
  }

  private List<String> lines() throws LoginException {
    try {
      return Files.readAllLines(file.orElseThrow(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new LoginException(
          LoginException.TARGET_ERROR, "the secrets in " + file.orElseThrow() + " are unreadable");
    }
  }
}
