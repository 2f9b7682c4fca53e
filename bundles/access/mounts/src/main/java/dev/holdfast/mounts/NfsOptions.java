package dev.holdfast.mounts;

import dev.holdfast.host.NfsMountOptions;
import dev.holdfast.share.ShareManager;
import java.util.List;
import java.util.Optional;

/** Options of nfs(5) with which shares are mounted. Stateless. */
public final class NfsOptions {
  /**
   * The options of a mount for which none are given. It is hard: a program waits while the server
   * is away, and never sees an I/O error because of that.
   */
  public static final String DEFAULT = "vers=4.1,noresvport,hard,timeo=600,retrans=5";

  private NfsOptions() {}

  /**
   * Checks options and returns them one by one.
   *
   * @param text options, separated by commas; blank for the default ones
   * @throws IllegalArgumentException if an option cannot be used, with the reason
   */
  public static List<String> parse(String text) {
    return NfsMountOptions.parse(text.isBlank() ? DEFAULT : text);
  }

  /** Returns the options of a share; the default ones when it names none, or is absent. */
  public static List<String> of(Optional<ShareManager> share) {
    List<String> own = share.map(found -> found.spec().mountOptions()).orElse(List.of());
    return parse(String.join(",", own));
  }
}
