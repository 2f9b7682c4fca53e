package dev.holdfast.itests;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/** Other versions of a bundle of the distribution: the same, and broken ones. */
final class BundleJars {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final String BROKEN = "dev/holdfast/itests/BrokenEngine.class";

  private final Path folder;

  BundleJars(Path folder) {
    this.folder = folder;
  }

  /** Returns the distribution's own jar of an artifact. */
  static Path released(String artifact) {
    return of(DISTRIBUTION, artifact);
  }

  /** Returns the jar of an artifact in any distribution. */
  static Path of(Path distribution, String artifact) {
    Path place = distribution.resolve("system/dev/holdfast").resolve(artifact);
    try (Stream<Path> files = Files.walk(place)) {
      return files.filter(file -> file.toString().endsWith(".jar")).findFirst().orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the version of an artifact's bundle in the distribution, as OSGi writes it. */
  static String currentVersion(String artifact) {
    return header(artifact, "Bundle-Version");
  }

  /** Returns the symbolic name of an artifact's bundle. */
  static String symbolicName(String artifact) {
    return header(artifact, "Bundle-SymbolicName");
  }

  private static String header(String artifact, String name) {
    try (JarFile jar = new JarFile(released(artifact).toFile())) {
      return jar.getManifest().getMainAttributes().getValue(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a copy of a bundle with another version in its manifest. */
  Path version(String artifact, String version) throws IOException {
    Path copy = folder.resolve(artifact + "-" + version + ".jar");
    try (JarFile original = new JarFile(released(artifact).toFile())) {
      Manifest manifest = original.getManifest();
      manifest.getMainAttributes().putValue("Bundle-Version", version);
      try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(copy), manifest)) {
        out.setLevel(Deflater.BEST_SPEED);
        for (JarEntry entry : original.stream().toList()) {
          if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
            out.putNextEntry(new JarEntry(entry.getName()));
            try (InputStream content = original.getInputStream(entry)) {
              content.transferTo(out);
            }
          }
        }
      }
    }
    return copy;
  }

  /** Returns a version of the sparse engine that cannot take over a volume. */
  Path broken(String version, String defect) throws IOException {
    Manifest manifest = manifest(version);
    manifest.getMainAttributes().putValue("Service-Component", "OSGI-INF/broken.xml");
    Path jar = folder.resolve("broken-" + version + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry("OSGI-INF/broken.xml"));
      write(
          out,
          """
          <scr:component xmlns:scr="http://www.osgi.org/xmlns/scr/v1.3.0" name="broken"
              activate="activate" immediate="true">
            <implementation class="dev.holdfast.itests.BrokenEngine"/>
            <service><provide interface="dev.holdfast.engine.EngineProvider"/></service>
            <property name="%s" value="%s"/>
          </scr:component>
          """
              .formatted(BrokenEngine.DEFECT, defect));
      out.putNextEntry(new JarEntry(BROKEN));
      try (InputStream code = BundleJars.class.getClassLoader().getResourceAsStream(BROKEN)) {
        code.transferTo(out);
      }
    }
    return jar;
  }

  /** Returns a version that cannot be started. */
  Path unstartable(String version) throws IOException {
    Manifest manifest = manifest(version);
    manifest.getMainAttributes().putValue("Bundle-Activator", "dev.holdfast.engine.sparse.None");
    Path jar = folder.resolve("unstartable-" + version + ".jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.finish();
    }
    return jar;
  }

  private static Manifest manifest(String version) {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "dev.holdfast.engine.sparse");
    main.putValue("Bundle-Version", version);
    main.putValue("Import-Package", "dev.holdfast.engine,dev.holdfast.error");
    return manifest;
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
