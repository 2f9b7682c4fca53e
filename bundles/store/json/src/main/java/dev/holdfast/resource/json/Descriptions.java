package dev.holdfast.resource.json;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Descriptions of resource types and their fields, taken from the Javadoc of the types. The build
 * writes one file per package beside the classes; each file is read once. Safe for use by several
 * threads.
 */
public final class Descriptions {
  private static final String FILE = "descriptions.properties";

  private final Map<String, Properties> packages = new ConcurrentHashMap<>();

  /** Returns the description of a type, or the empty text. */
  public String of(Class<?> type) {
    return text(type, key(type));
  }

  /** Returns the description of a field of a record or a constant of an enum, or the empty text. */
  public String of(Class<?> type, String field) {
    return text(type, key(type) + "." + field);
  }

  private String text(Class<?> type, String key) {
    return packages.computeIfAbsent(type.getPackageName(), name -> read(type)).getProperty(key, "");
  }

  /** A package without records or enums has no file. */
  private static Properties read(Class<?> type) {
    Properties properties = new Properties();
    try (InputStream in = type.getResourceAsStream(FILE)) {
      if (in != null) {
        properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties;
  }

  private static String key(Class<?> type) {
    return type.getCanonicalName().substring(type.getPackageName().length() + 1);
  }
}
