package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Output of fstrim(8): {@code /mnt: 1 GiB (1073741824 bytes) trimmed}. */
final class TrimmedBytes {
  private static final Pattern BYTES = Pattern.compile("\\((\\d+) bytes\\) trimmed");

  private TrimmedBytes() {}

  static long parse(String printed) throws StorageException {
    Matcher matcher = BYTES.matcher(printed);
    if (!matcher.find()) {
      throw new StorageException(ErrorCode.IO, "fstrim printed \"" + printed + "\"");
    }
    return Long.parseLong(matcher.group(1));
  }
}
