package dev.holdfast.language;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prose of documents, and comments and lines of scripts, configurations and descriptions. */
final class TextSource {
  private static final Pattern FENCE = Pattern.compile("^\\s*(?:```|~~~).*");
  private static final Pattern BLOCK_START = Pattern.compile("^(?:#+ |[-*+] |\\d+\\. |> |\\|).*");
  private static final Pattern COMMENT =
      Pattern.compile(
          "^\\s*(?:#+|//+|/\\*+|\\*|<!--|\\{\\{-?\\s*/\\*)(?:\\s(.*?))?(?:-->|\\*/.*)?$");

  private final List<Passage> passages = new ArrayList<>();

  private TextSource() {}

  /** Returns the passages of a Markdown document: paragraphs, list items, cells, lines of code. */
  static List<Passage> markdown(String text) {
    TextSource source = new TextSource();
    Passage paragraph = source.started(Passage.Kind.PROSE);
    boolean code = false;
    int line = 0;
    for (String raw : text.split("\n", -1)) {
      line++;
      String part = raw.strip();
      if (FENCE.matcher(part).matches()) {
        code = !code;
        paragraph.end();
      } else if (code) {
        source.started(Passage.Kind.LITERAL).add(part, line);
      } else if (part.startsWith("|")) {
        paragraph.end();
        source.row(part, line);
      } else {
        if (part.isEmpty() || BLOCK_START.matcher(part).matches()) {
          paragraph.end();
        }
        if (!part.isEmpty()) {
          paragraph.add(part, line);
        }
        if (part.startsWith("#")) {
          paragraph.end();
        }
      }
    }
    for (Passage passage : source.passages) {
      if (passage.kind() == Passage.Kind.PROSE) {
        Markup.maskMarkdown(passage);
      }
    }
    return source.passages;
  }

  private void row(String row, int line) {
    for (String cell : row.split("(?<!\\\\)\\|", -1)) {
      if (!cell.isBlank()) {
        started(Passage.Kind.PROSE).add(cell.strip(), line);
      }
    }
  }

  /** Returns the passages of a file with comments: each run of comment lines, each other line. */
  static List<Passage> commented(String text) {
    TextSource source = new TextSource();
    CommentText run = null;
    int line = 0;
    for (String raw : text.split("\n", -1)) {
      line++;
      Matcher comment = COMMENT.matcher(raw);
      if (comment.matches()) {
        if (run == null) {
          run = new CommentText(source.started(Passage.Kind.PROSE));
        }
        String part = comment.group(1) == null ? "" : comment.group(1);
        if (part.startsWith("  ")) {
          run.end();
        }
        run.add(part, line);
      } else {
        run = null;
        if (!raw.isBlank()) {
          source.started(Passage.Kind.LITERAL).add(raw.strip(), line);
        }
      }
    }
    return source.passages;
  }

  private Passage started(Passage.Kind kind) {
    Passage passage = new Passage(kind);
    passages.add(passage);
    return passage;
  }
}
