package dev.holdfast.upgrader.internal;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;

/**
 * The jar with which each bundle last worked, in a file that is replaced atomically. Thread-safe.
 */
final class LastGoodJars {
  private final Path file;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Entry> entries;

  /**
   * The last good jar of a bundle.
   *
   * @param jar path of the kept jar
   * @param version version of the bundle
   * @param bundle number of the bundle that had it
   * @param lastModified time at which that bundle received it
   * @param components names of its satisfied components
   */
  record Entry(
      String jar, String version, long bundle, long lastModified, List<String> components) {}

  LastGoodJars(Path file) throws IOException {
    this.file = file;
    this.entries =
        Files.exists(file)
            ? json.readValue(file.toFile(), new TypeReference<TreeMap<String, Entry>>() {})
            : new TreeMap<>();
  }

  synchronized Optional<Entry> of(String symbolicName) {
    return Optional.ofNullable(entries.get(symbolicName))
        .filter(entry -> Files.exists(Path.of(entry.jar())));
  }

  synchronized boolean isKnown(Bundle bundle) {
    return of(bundle.getSymbolicName())
        .filter(
            entry ->
                entry.bundle() == bundle.getBundleId()
                    && entry.lastModified() == bundle.getLastModified())
        .isPresent();
  }

  synchronized Set<Path> jars() {
    return entries.values().stream().map(entry -> Path.of(entry.jar())).collect(Collectors.toSet());
  }

  /**
   * Keeps a jar permanently.
   *
   * @param lastModified last modification of the bundle, read before its content, so that a later
   *     change is detected
   */
  synchronized void put(Bundle bundle, long lastModified, Path jar, Set<String> components) {
    entries.put(
        bundle.getSymbolicName(),
        new Entry(
            jar.toString(),
            bundle.getVersion().toString(),
            bundle.getBundleId(),
            lastModified,
            List.copyOf(components)));
    store();
  }

  /** Keeps a jar permanently that the bundle replaced; its components are unknown. */
  synchronized void putEarlier(String symbolicName, String jar, String version) {
    entries.put(symbolicName, new Entry(jar, version, -1, 0, List.of()));
    store();
  }

  private void store() {
    try {
      Files.createDirectories(file.getParent());
      Path written = file.resolveSibling(file.getFileName() + ".new");
      json.writeValue(written.toFile(), entries);
      JarStore.sync(written);
      Files.move(
          written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
