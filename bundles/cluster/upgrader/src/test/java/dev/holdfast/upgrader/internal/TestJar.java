package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.osgi.framework.BundleActivator;

/** Creates bundles. */
final class TestJar {
  private final Manifest manifest = new Manifest();
  private Class<?> activator;

  private TestJar(String symbolicName, String version) {
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Bundle-ManifestVersion", "2");
    attributes.putValue("Bundle-SymbolicName", symbolicName);
    attributes.putValue("Bundle-Version", version);
  }

  static TestJar of(String symbolicName, String version) {
    return new TestJar(symbolicName, version);
  }

  TestJar header(String name, String value) {
    manifest.getMainAttributes().putValue(name, value);
    return this;
  }

  TestJar startedBy(Class<? extends BundleActivator> type) {
    activator = type;
    return header("Bundle-Activator", type.getName())
        .header("Import-Package", "org.osgi.framework");
  }

  Path in(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "bundle", ".jar");
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      if (activator != null) {
        String name = activator.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new ZipEntry(name));
        try (InputStream in = activator.getClassLoader().getResourceAsStream(name)) {
          in.transferTo(jar);
        }
        jar.closeEntry();
      }
    }
    return file;
  }
}
