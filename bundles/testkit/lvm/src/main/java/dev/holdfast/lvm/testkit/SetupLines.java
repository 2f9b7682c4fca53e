package dev.holdfast.lvm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands in {@code engines/lvm/SHARED-GROUPS.md} that set up a shared group. */
final class SetupLines {
  private static final String DOCUMENT = "engines/lvm/SHARED-GROUPS.md";
  private static final Pattern LINE =
      Pattern.compile("(every node|first node|other nodes)\\$ (.+)");

  private SetupLines() {}

  /** Nodes that run a command. */
  enum Nodes {
    EVERY,
    FIRST,
    OTHERS;

    boolean include(int number) {
      return switch (this) {
        case EVERY -> true;
        case FIRST -> number == 1;
        case OTHERS -> number > 1;
      };
    }

    private static Nodes of(String words) {
      return switch (words) {
        case "first node" -> FIRST;
        case "other nodes" -> OTHERS;
        default -> EVERY;
      };
    }
  }

  /** A command of the document and the nodes that run it. */
  record Line(Nodes nodes, String command) {}

  /** Reads the document from the test's source tree. */
  static List<Line> read() throws StorageException {
    try {
      List<Line> lines = new ArrayList<>();
      for (String text : Files.readAllLines(document())) {
        Matcher line = LINE.matcher(text);
        if (line.matches()) {
          lines.add(new Line(Nodes.of(line.group(1)), line.group(2)));
        }
      }
      return lines;
    } catch (IOException e) {
      throw StorageException.io(DOCUMENT, e);
    }
  }

  private static Path document() throws StorageException {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path document = at.resolve(DOCUMENT);
      if (Files.exists(document)) {
        return document;
      }
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, DOCUMENT + ": run the test in a folder of the source tree");
  }
}
