package dev.holdfast.mounts;

import dev.holdfast.host.NfsMountOptions;
import dev.holdfast.share.ShareManager;
import java.util.List;
import java.util.Optional;

/** Options of nfs(5) with which shares are mounted. Stateless. */
public final class NfsOptions {
  /**
   * The default options. The mount is hard: programs wait while the server is unreachable and do
   * not receive I/O errors.
   */
  public static final String DEFAULT = "vers=4.1,noresvport,hard,timeo=600,retrans=5";

  private NfsOptions() {}

  /**
   * Checks options and returns them one by one.
   *
   * @param text options separated by commas; blank for the defaults
   * @throws IllegalArgumentException if an option cannot be used, with the reason
   */
  public static List<String> parse(String text) {
    return NfsMountOptions.parse(text.isBlank() ? DEFAULT : text);
  }

  /** Returns the options of a share; the defaults if it names none or is absent. */
  public static List<String> of(Optional<ShareManager> share) {
    List<String> own = share.map(found -> found.spec().mountOptions()).orElse(List.of());
    return parse(String.join(",", own));
  }
}
