package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a mounted filesystem report its unused blocks to its device, by fstrim(8). Stateless.
 *
 * @since 1.2
 */
public final class FilesystemTrim {
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** For example {@code /mnt: 1 GiB (1073741824 bytes) trimmed}. */
  private static final Pattern BYTES = Pattern.compile("\\((\\d+) bytes\\) trimmed");

  private final Host host;

  /** Creates access to the filesystems of a host. */
  public FilesystemTrim(Host host) {
    this.host = host;
  }

  /**
   * Trims the filesystem that is mounted on a directory. Blocks for up to 10 minutes.
   *
   * @param directory of the host, not null
   * @return the bytes that the filesystem reported as unused
   * @throws StorageException UNSUPPORTED when fstrim is not installed; IO with what it printed when
   *     it failed; TIMEOUT; UNREACHABLE
   */
  public long run(Path directory) throws StorageException {
    String fstrim = host.require("fstrim", "util-linux");
    String printed =
        host.check(ProgramCall.of(LONGEST, List.of(fstrim, "-v", directory.toString())));
    Matcher matcher = BYTES.matcher(printed);
    if (!matcher.find()) {
      throw new StorageException(ErrorCode.IO, "fstrim printed \"" + printed + "\"");
    }
    return Long.parseLong(matcher.group(1));
  }
}
