package dev.holdfast.itests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** Bundles of the distribution under another version, and broken ones. */
final class OtherVersion {
  private static final Path OURS =
      Path.of(System.getProperty("holdfast.distribution"))
          .normalize()
          .resolve("system/dev/holdfast");

  private final Path jar;
  private final Manifest manifest;

  private OtherVersion(Path jar, Manifest manifest) {
    this.jar = jar;
    this.manifest = manifest;
  }

  /** The bundle of an artifact of the distribution, with another version. */
  static OtherVersion of(String artifact, String version) {
    Path jar = jar(artifact);
    try (JarFile file = new JarFile(jar.toFile())) {
      return new OtherVersion(jar, file.getManifest()).header("Bundle-Version", version);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path jar(String artifact) {
    try (Stream<Path> files = Files.walk(OURS.resolve(artifact))) {
      return files
          .filter(file -> file.getFileName().toString().matches(artifact + "-[^-]*-SNAPSHOT\\.jar"))
          .max(Path::compareTo)
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds or replaces a header of its manifest. */
  OtherVersion header(String name, String value) {
    manifest.getMainAttributes().putValue(name, value);
    return this;
  }

  /** One whose start fails. */
  OtherVersion broken() {
    return header("Bundle-Activator", "planted.no.such.Activator");
  }

  /** Writes it below a folder; returns where. */
  String in(Path folder) {
    try {
      Path copy = Files.createTempFile(folder, "bundle", ".jar");
      try (JarFile from = new JarFile(jar.toFile());
          OutputStream out = Files.newOutputStream(copy);
          JarOutputStream to = new JarOutputStream(out, manifest)) {
        for (JarEntry entry : Collections.list(from.entries())) {
          if (!entry.isDirectory() && !entry.getName().equals(JarFile.MANIFEST_NAME)) {
            to.putNextEntry(new ZipEntry(entry.getName()));
            try (InputStream in = from.getInputStream(entry)) {
              in.transferTo(to);
            }
            to.closeEntry();
          }
        }
      }
      return copy.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
