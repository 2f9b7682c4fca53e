package dev.holdfast.backupstore.internal;

/** Text of a target in messages: it must not move the cursor of a terminal or begin a new line. */
public final class Printable {
  private static final int LONGEST = 200;

  private Printable() {}

  /** Returns the text without control characters, cut where it is long. */
  public static String of(String text) {
    String shown = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
    return shown.replaceAll("\\p{Cntrl}+", " ");
  }
}
