package dev.holdfast.page.contribution;

import java.net.URL;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Parts of the web page that a bundle adds. Register an implementation as an OSGi service; the page
 * shows the contribution while the service is registered, without a reload.
 *
 * <p>The page imports the entry module in the browser and calls its default function. The script
 * runs with the rights of the signed-in user. The page loads it only for a user who may list each
 * of its {@link #kinds}. Implementations are thread-safe; the page calls them for each request of a
 * browser.
 */
@ConsumerType
public interface PageContribution {
  /** Folder in the bundle from which {@link #resource} reads by default. */
  String FOLDER = "page-contribution";

  /**
   * Returns the name, unique among the contributions of the node: at most 63 lower-case letters,
   * digits and dashes, with a letter or digit at both ends. The page rejects any other name, and
   * the later one of two equal names.
   *
   * @return the name, never null
   */
  String name();

  /**
   * Returns the kinds of resources that the contribution reads, for example {@code volumes}.
   *
   * @return plural names, at most 16, never null; the scripts can register tabs and columns for
   *     these kinds, and read these kinds only
   */
  List<String> kinds();

  /**
   * Returns the path of the ES module that the page imports.
   *
   * @return a path for {@link #resource}, never null
   */
  default String entryModule() {
    return "index.js";
  }

  /**
   * Finds a file of the contribution. Browsers cache it until the bundle is replaced.
   *
   * @param path relative, of segments that consist of letters, digits, dots, dashes and
   *     underscores; never with a segment that begins with a dot; not null
   * @return address of the file, at most 4 MiB large; empty if it does not exist
   */
  default Optional<URL> resource(String path) {
    return Optional.ofNullable(getClass().getResource("/" + FOLDER + "/" + path));
  }
}
