package dev.holdfast.upgrader.internal;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.osgi.framework.Bundle;

/**
 * Content of a jar, from a file or an installed bundle. Two jars with the same files are equal,
 * independent of their packing. Immutable.
 */
final class JarContent {
  private static final String MANIFEST = "META-INF/MANIFEST.MF";
  private static final int ATTEMPTS = 20;
  private static final int PAUSE_MILLIS = 100;
  private static final int BUFFER_BYTES = 1 << 16;

  private final Map<String, byte[]> files;

  private JarContent(Map<String, byte[]> files) throws IOException {
    if (!files.containsKey(MANIFEST)) {
      throw new IOException("is not a bundle: it has no " + MANIFEST);
    }
    this.files = files;
  }

  static JarContent of(Path jar) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.isDirectory()) {
          try (InputStream in = zip.getInputStream(entry)) {
            files.put(entry.getName(), in.readAllBytes());
          }
        }
      }
      return new JarContent(files);
    } catch (IOException e) {
      throw new IOException(jar + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the content from the framework, because the original file may have changed. An update
   * during the reading would mix two jars, or return none, so the content is then read again.
   */
  static JarContent of(Bundle bundle) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long modified = bundle.getLastModified();
      try {
        JarContent content = new JarContent(entries(bundle));
        if (modified == bundle.getLastModified()) {
          return content;
        }
      } catch (IOException | NullPointerException e) {
        // Felix throws only the latter for a revision that an update closed.
        if (attempt == ATTEMPTS) {
          throw new IOException(bundle + ": " + e.getMessage(), e);
        }
      }
      if (attempt == ATTEMPTS) {
        throw new IOException(bundle + " is updated again and again");
      }
      pause();
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: the platform stops", e);
    }
  }

  private static Map<String, byte[]> entries(Bundle bundle) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    collect(bundle, "/", files);
    return files;
  }

  private static void collect(Bundle bundle, String folder, Map<String, byte[]> files)
      throws IOException {
    Enumeration<String> paths = bundle.getEntryPaths(folder);
    if (paths == null) {
      return;
    }
    for (String path : Collections.list(paths)) {
      if (path.endsWith("/")) {
        collect(bundle, path, files);
        continue;
      }
      URL entry = bundle.getEntry(path);
      if (entry == null) {
        throw new IOException("bundle " + bundle + " has no longer " + path);
      }
      try (InputStream in = entry.openStream()) {
        files.put(path, in.readAllBytes());
      }
    }
  }

  /** Returns whether the jar is a part of the platform or one of its plugins. */
  boolean isOurs() {
    try {
      return isBundle() && manifest().isOurs();
    } catch (IOException e) {
      return false;
    }
  }

  boolean isBundle() throws IOException {
    return header("Bundle-SymbolicName").isPresent();
  }

  /** Returns whether the jar is a fragment of another bundle, which is never started itself. */
  boolean isFragment() throws IOException {
    return header("Fragment-Host").isPresent();
  }

  private Optional<String> header(String name) throws IOException {
    return Optional.ofNullable(
        new Manifest(new ByteArrayInputStream(files.get(MANIFEST)))
            .getMainAttributes()
            .getValue(name));
  }

  BundleManifest manifest() throws IOException {
    return BundleManifest.of(new Manifest(new ByteArrayInputStream(files.get(MANIFEST))));
  }

  /** Returns a digest that is equal exactly for equal content. */
  String digest() {
    try {
      MessageDigest sum = MessageDigest.getInstance("SHA-256");
      files.forEach(
          (name, bytes) -> {
            sum.update((name + "\n" + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
            sum.update(bytes);
          });
      return HexFormat.of().formatHex(sum.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Writes a jar; the manifest comes first, where programs look for it. The first start of a node
   * writes every bundle of the platform: the fastest compression saves seconds of CPU there and
   * makes the jars 3 % larger.
   */
  void writeTo(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(new BufferedOutputStream(out, BUFFER_BYTES))) {
      jar.setLevel(Deflater.BEST_SPEED);
      add(jar, MANIFEST);
      for (String name : files.keySet()) {
        if (!name.equals(MANIFEST)) {
          add(jar, name);
        }
      }
    }
  }

  private void add(JarOutputStream jar, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(0);
    jar.putNextEntry(entry);
    jar.write(files.get(name));
    jar.closeEntry();
  }
}
