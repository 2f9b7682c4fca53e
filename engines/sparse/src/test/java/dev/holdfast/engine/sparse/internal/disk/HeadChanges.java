package dev.holdfast.engine.sparse.internal.disk;

import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes the store of a file that makes another file the head of a replica. */
final class HeadChanges {
  private static final Pattern HEAD = Pattern.compile("\"Head\":\"[^\"]*\"");

  private HeadChanges() {}

  /** Returns whether the new content of a file names another head than the former content. */
  static boolean between(String name, byte[] former, byte[] next) {
    return name.equals(LonghornLayout.VOLUME_META) && !head(former).equals(head(next));
  }

  private static String head(byte[] volumeMeta) {
    Matcher head = HEAD.matcher(new String(volumeMeta, StandardCharsets.UTF_8));
    return head.find() ? head.group() : "";
  }
}
