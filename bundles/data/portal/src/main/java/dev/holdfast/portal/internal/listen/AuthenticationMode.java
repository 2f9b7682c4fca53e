package dev.holdfast.portal.internal.listen;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Which clients of TCP listeners need a credential. */
public enum AuthenticationMode {
  /** All clients. */
  REQUIRED,
  /** Clients on other machines. */
  OPEN_LOOPBACK,
  /** No client. */
  OPEN;

  /** Returns the mode of a setting; an empty setting selects the mode of earlier releases. */
  public static Optional<AuthenticationMode> named(String text) {
    return text.isEmpty()
        ? Optional.of(OPEN)
        : Arrays.stream(values()).filter(mode -> mode.toString().equals(text)).findFirst();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
