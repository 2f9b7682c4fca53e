package dev.holdfast.itests;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Packs a class of these tests into a bundle that offers it as a service. */
final class PlantedBundle {
  private PlantedBundle() {}

  /**
   * Writes the bundle {@code dev.example.NAME} of version 1.0.0.
   *
   * @param service the interface under which the class is registered
   * @param imports the packages that it uses
   */
  static Path of(Path folder, String name, Class<?> type, Class<?> service, String imports)
      throws IOException {
    return of(folder.resolve(name + ".jar"), name, type, service, imports, Map.of());
  }

  /** Writes the same bundle as this jar, with further files by their paths. */
  static Path of(
      Path jar,
      String name,
      Class<?> type,
      Class<?> service,
      String imports,
      Map<String, String> files)
      throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "dev.example." + name);
    main.putValue("Bundle-Version", "1.0.0");
    main.putValue("Import-Package", imports);
    main.putValue("Service-Component", "OSGI-INF/planted.xml");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new ZipEntry("OSGI-INF/planted.xml"));
      out.write(
          """
          <scr:component xmlns:scr="http://www.osgi.org/xmlns/scr/v1.3.0" name="%s" immediate="true">
            <implementation class="%s"/>
            <service><provide interface="%s"/></service>
          </scr:component>
          """
              .formatted(name, type.getName(), service.getName())
              .getBytes(StandardCharsets.UTF_8));
      for (Map.Entry<String, String> file : files.entrySet()) {
        out.putNextEntry(new ZipEntry(file.getKey()));
        out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
      for (Class<?> part : parts(type)) {
        String file = part.getName().replace('.', '/') + ".class";
        out.putNextEntry(new ZipEntry(file));
        try (InputStream code = type.getClassLoader().getResourceAsStream(file)) {
          code.transferTo(out);
        }
      }
    }
    return jar;
  }

  private static Class<?>[] parts(Class<?> type) {
    Class<?>[] nested = type.getDeclaredClasses();
    Class<?>[] all = Arrays.copyOf(nested, nested.length + 1);
    all[nested.length] = type;
    return all;
  }
}
