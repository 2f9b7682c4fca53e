package dev.holdfast.rule.testkit;

import java.util.Arrays;

/** Comparison of bytes whose failure names the position of the difference instead of all bytes. */
public final class Content {
  private Content() {}

  /**
   * Compares the content of a reply or a device.
   *
   * @param found not null
   * @param expected not null
   * @throws AssertionError when the contents differ
   */
  public static void assertContent(byte[] found, byte[] expected) {
    assertContent("content", found, expected);
  }

  /**
   * Compares content.
   *
   * @param what description of the content, not null
   * @param found not null
   * @param expected not null
   * @throws AssertionError when the contents differ
   */
  public static void assertContent(String what, byte[] found, byte[] expected) {
    if (found.length != expected.length) {
      throw new AssertionError(
          "%s: expected %d bytes, found %d".formatted(what, expected.length, found.length));
    }
    int difference = Arrays.mismatch(found, expected);
    if (difference >= 0) {
      throw new AssertionError(
          "%s: expected 0x%02x at byte %d, found 0x%02x"
              .formatted(what, expected[difference], difference, found[difference]));
    }
  }
}
