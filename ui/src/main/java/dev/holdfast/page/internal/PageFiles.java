package dev.holdfast.page.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The files of the page, by their path below {@code /page/}. Immutable. */
final class PageFiles {
  static final String INDEX = "index.html";
  private static final String HASHED = "assets/";
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "woff2", "font/woff2",
          "txt", "text/plain; charset=utf-8",
          "json", "application/json",
          "png", "image/png");

  private final Map<String, PageFile> files;
  private final String version;
  private final String importMapHash;

  private PageFiles(Map<String, PageFile> files, String version, String importMapHash) {
    this.files = Map.copyOf(files);
    this.version = version;
    this.importMapHash = importMapHash;
  }

  /**
   * Reads the files that the list in the bundle names.
   *
   * @throws IOException when the bundle is incomplete
   */
  static PageFiles read(Class<?> bundle) throws IOException {
    Map<String, PageFile> files = new HashMap<>();
    String list = new String(resource(bundle, "files.list"), StandardCharsets.UTF_8);
    for (String path : list.split("\n", -1)) {
      if (!path.isEmpty()) {
        files.put(
            path,
            new PageFile(
                typeOf(path)
                    .orElseThrow(() -> new IOException("page/" + path + ": unknown media type")),
                path.startsWith(HASHED),
                resource(bundle, path + ".gz"),
                resource(bundle, path + ".br")));
      }
    }
    return new PageFiles(files, text(bundle, "version"), text(bundle, "import-map.sha256"));
  }

  /** Returns a text that changes with the content of any file. */
  String version() {
    return version;
  }

  /** Returns the source expression by which the content security policy permits the import map. */
  String importMapHash() {
    return importMapHash;
  }

  Optional<PageFile> file(String path) {
    return Optional.ofNullable(files.get(path));
  }

  /** Returns the media type of a file by its ending; empty when the page serves no such files. */
  static Optional<String> typeOf(String path) {
    return Optional.ofNullable(TYPES.get(path.substring(path.lastIndexOf('.') + 1)));
  }

  private static String text(Class<?> bundle, String path) throws IOException {
    return new String(resource(bundle, path), StandardCharsets.UTF_8).strip();
  }

  private static byte[] resource(Class<?> bundle, String path) throws IOException {
    try (InputStream in = bundle.getResourceAsStream("/page/" + path)) {
      if (in == null) {
        throw new IOException("page/" + path + ": missing in the bundle");
      }
      return in.readAllBytes();
    }
  }
}
