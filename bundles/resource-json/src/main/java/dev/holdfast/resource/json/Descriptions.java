package dev.holdfast.resource.json;

import dev.holdfast.resource.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * What the sources of the resource types say of each type and field; written beside the classes
 * when they are compiled. Immutable.
 */
public final class Descriptions {
  private static final String FILE = "descriptions.properties";

  private final Map<String, String> texts;

  private Descriptions(Map<String, String> texts) {
    this.texts = Map.copyOf(texts);
  }

  /**
   * Reads them from the bundle of the resource types.
   *
   * @return the descriptions, never null
   */
  public static Descriptions load() {
    Properties properties = new Properties();
    try (InputStream in = Resource.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(
            Resource.class.getPackageName() + " was built without " + FILE);
      }
      properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> texts = new HashMap<>();
    properties.forEach((key, value) -> texts.put(key.toString(), value.toString()));
    return new Descriptions(texts);
  }

  /** What a type is; empty text when nothing is said. */
  public String of(Class<?> type) {
    return texts.getOrDefault(key(type), "");
  }

  /** What a field is; empty text when nothing is said. */
  public String of(Class<?> type, String field) {
    return texts.getOrDefault(key(type) + "." + field, "");
  }

  private static String key(Class<?> type) {
    return type.getCanonicalName().substring(type.getPackageName().length() + 1);
  }
}
