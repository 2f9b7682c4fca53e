package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Ways in which a clone takes the content of its original. */
enum CloneEncryption {
  /** Copies it as it is. */
  IGNORE,
  /** Puts it into a LUKS container. */
  ENCRYPT,
  /** Takes it out of its LUKS container. */
  DECRYPT;

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static CloneEncryption of(String text) throws StorageException {
    if (text.isEmpty()) {
      return IGNORE;
    }
    return Arrays.stream(values())
        .filter(value -> value.text().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    "\""
                        + text
                        + "\": expected "
                        + Arrays.stream(values())
                            .map(CloneEncryption::text)
                            .collect(Collectors.joining(", "))));
  }
}
