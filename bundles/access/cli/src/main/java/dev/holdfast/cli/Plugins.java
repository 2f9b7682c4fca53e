package dev.holdfast.cli;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Plugins of the program: jars in a folder beside it. They are the same bundles as on a node, and
 * list their services in {@code META-INF/services}. A command loads only the plugins that it uses.
 */
final class Plugins {
  /** Property with other folders, because the plugins of the source tree are in several folders. */
  private static final String FOLDERS = "holdfast.cli.plugins";

  private final List<Path> folders;

  Plugins(List<Path> folders) {
    this.folders = List.copyOf(folders);
  }

  /** Returns the plugins of this program. */
  static Plugins ofThisProgram() throws StorageException {
    String given = System.getProperty(FOLDERS, "");
    if (!given.isEmpty()) {
      return new Plugins(
          Stream.of(given.split(File.pathSeparator, -1))
              .filter(folder -> !folder.isEmpty())
              .map(Path::of)
              .toList());
    }
    return new Plugins(List.of(program().resolveSibling("plugins")));
  }

  private static Path program() throws StorageException {
    try {
      return Path.of(Plugins.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new StorageException(ErrorCode.INTERNAL, "the program's place: " + e.getMessage(), e);
    }
  }

  /**
   * Loads the services of a type, including those of the program itself.
   *
   * @throws StorageException UNSUPPORTED for a plugin that cannot be loaded
   */
  <T> List<T> load(Class<T> type) throws StorageException {
    ClassLoader loader =
        new URLClassLoader(jars().toArray(URL[]::new), Plugins.class.getClassLoader());
    try {
      return ServiceLoader.load(type, loader).stream().map(ServiceLoader.Provider::get).toList();
    } catch (ServiceConfigurationError e) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "a plugin in " + folders + " cannot be loaded: " + e.getMessage() + ": remove its jar",
          e);
    }
  }

  private List<URL> jars() throws StorageException {
    List<URL> jars = new ArrayList<>();
    for (Path folder : folders) {
      if (Files.isDirectory(folder)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.jar")) {
          for (Path jar : found) {
            jars.add(url(jar));
          }
        } catch (IOException e) {
          throw StorageException.io("plugins in " + folder, e);
        }
      }
    }
    return jars;
  }

  private static URL url(Path jar) throws MalformedURLException {
    return jar.toUri().toURL();
  }
}
