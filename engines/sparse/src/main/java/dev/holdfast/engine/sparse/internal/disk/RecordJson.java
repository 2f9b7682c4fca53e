package dev.holdfast.engine.sparse.internal.disk;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.TypeFactory;

/** Reads and writes this engine's records as JSON. */
public final class RecordJson {
  private static final ObjectMapper JSON =
      JsonMapper.builder().typeFactory(TypeFactory.createDefaultInstance()).build();

  private RecordJson() {}

  /**
   * Returns a mapper that shares nothing with those of other bundles: the types that it has met are
   * else kept in one cache of the library, and with them the classes of a replaced engine.
   */
  public static ObjectMapper mapper() {
    return JSON;
  }

  /**
   * Finds out how a type is read, which takes ten milliseconds that its first reader would wait.
   */
  public static void prepare(Class<?> type) {
    var unused = JSON.readerFor(type);
  }
}
