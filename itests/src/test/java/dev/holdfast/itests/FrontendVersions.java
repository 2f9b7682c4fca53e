package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Makes later versions of the NBD frontend's bundle, good ones and broken ones. */
final class FrontendVersions {
  static final String NAME = "dev.holdfast.frontend.nbd";

  private static final String PACKAGE = "dev.holdfast.frontend.nbd.internal";
  private static final String COMPONENT = "OSGI-INF/" + PACKAGE + ".NbdFrontend.xml";
  private static final Path SYSTEM =
      Path.of(System.getProperty("holdfast.distribution")).normalize().resolve("system");

  private final Path folder;
  private final Path original;
  private int count;

  FrontendVersions(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    this.original = jars("holdfast-frontend-nbd").get(0);
  }

  /**
   * A bundle that was made.
   *
   * @param version of it
   * @param jar where it is
   */
  record Made(String version, Path jar) {
    /** Returns how the shell's commands name it. */
    String name() {
      return NAME + "/" + version;
    }
  }

  /** Makes the next version, of the same code. */
  Made next() throws IOException {
    return make(headers -> {}, "", "");
  }

  /** Makes one that cannot be resolved. */
  Made thatCannotStart() throws IOException {
    return make(
        headers ->
            headers.putValue(
                "Import-Package", headers.getValue("Import-Package") + ",nowhere.to.be.found"),
        "",
        "");
  }

  /** Makes a version that fails to resume a session. */
  Made thatThrows() throws IOException {
    return make(headers -> {}, "ThrowingFrontend", "throw new IllegalStateException(\"broken\");");
  }

  /** Makes a version that never returns from resuming a session, even if it is interrupted. */
  Made thatHangs() throws IOException {
    return make(
        headers -> {},
        "HangingFrontend",
        "while (true) { try { Thread.sleep(60_000); } catch (InterruptedException e) { } }");
  }

  /** Returns the distribution's own. */
  Made distributed() throws IOException {
    try (JarFile jar = new JarFile(original.toFile())) {
      return new Made(jar.getManifest().getMainAttributes().getValue("Bundle-Version"), original);
    }
  }

  private Made make(Consumer<Attributes> change, String frontend, String resume)
      throws IOException {
    count++;
    String version = "9.0." + count;
    Path jar = folder.resolve("nbd-" + version + ".jar");
    try (JarFile from = new JarFile(original.toFile())) {
      Manifest manifest = new Manifest(from.getManifest());
      manifest.getMainAttributes().putValue("Bundle-Version", version);
      change.accept(manifest.getMainAttributes());
      try (OutputStream file = Files.newOutputStream(jar);
          JarOutputStream to = new JarOutputStream(file, manifest)) {
        copy(from, to, frontend);
        if (!frontend.isEmpty()) {
          add(
              to,
              PACKAGE.replace('.', '/') + "/" + frontend + ".class",
              compiled(frontend, resume));
        }
      }
    }
    return new Made(version, jar);
  }

  private static void copy(JarFile from, JarOutputStream to, String frontend) throws IOException {
    for (Enumeration<JarEntry> entries = from.entries(); entries.hasMoreElements(); ) {
      JarEntry entry = entries.nextElement();
      if (entry.isDirectory() || entry.getName().equals(JarFile.MANIFEST_NAME)) {
        continue;
      }
      try (InputStream in = from.getInputStream(entry)) {
        byte[] content = in.readAllBytes();
        if (entry.getName().equals(COMPONENT) && !frontend.isEmpty()) {
          String xml = new String(content, StandardCharsets.UTF_8);
          String changed =
              xml.replace(
                  "class=\"" + PACKAGE + ".NbdFrontend\"",
                  "class=\"" + PACKAGE + "." + frontend + "\"");
          assertThat(changed).isNotEqualTo(xml);
          content = changed.getBytes(StandardCharsets.UTF_8);
        }
        add(to, entry.getName(), content);
      }
    }
  }

  private static void add(JarOutputStream to, String name, byte[] content) throws IOException {
    to.putNextEntry(new JarEntry(name));
    to.write(content);
    to.closeEntry();
  }

  private byte[] compiled(String frontend, String resume) throws IOException {
    String source =
        """
        package %s;
        import dev.holdfast.frontend.*;
        import java.net.URI;
        public final class %s implements ReplaceableFrontend {
          private final NbdFrontend nbd = new NbdFrontend();
          public String name() { return nbd.name(); }
          public int defaultPort() { return nbd.defaultPort(); }
          public URI endpoint(String host, int port, String export) {
            return nbd.endpoint(host, port, export);
          }
          public FrontendSession open(FrontendConnection connection) {
            return nbd.open(connection);
          }
          public FrontendSession resume(FrontendConnection connection, SessionState state) {
            %s
          }
        }
        """
            .formatted(PACKAGE, frontend, resume);
    Path file = Files.writeString(folder.resolve(frontend + ".java"), source);
    String path =
        Stream.of("frontend-nbd", "frontend-api", "block-api", "error-api")
            .flatMap(name -> jars("holdfast-" + name).stream())
            .map(Path::toString)
            .collect(Collectors.joining(":"));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                path,
                file.toString());
    assertThat(result).as("the compiler's result").isZero();
    return Files.readAllBytes(
        folder.resolve(PACKAGE.replace('.', '/') + "/" + frontend + ".class"));
  }

  private static java.util.List<Path> jars(String artifact) {
    try (Stream<Path> files =
        Files.find(
            SYSTEM,
            8,
            (path, is) -> path.getFileName().toString().matches(artifact + "-[0-9].*\\.jar"))) {
      return files.toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
