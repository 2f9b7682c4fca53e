package dev.holdfast.datapath;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** The directory in which a node keeps its files: the property {@code holdfast.data}. */
public final class StateDirectory {
  private static final String PROPERTY = "holdfast.data";
  private static final String DEFAULT = "data";

  private StateDirectory() {}

  /**
   * Returns the absolute path of the directory, which may not exist yet. Without the property, it
   * is {@code data} below the working directory of the process.
   *
   * @param properties returns the text of a property or null, as {@code BundleContext.getProperty}
   *     does
   */
  public static Path of(Function<String, String> properties) {
    String text = Optional.ofNullable(properties.apply(PROPERTY)).orElse("");
    return Path.of(text.isBlank() ? DEFAULT : text).toAbsolutePath().normalize();
  }
}
