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
   * Returns a mapper that shares no cache with other bundles. A shared cache of the library would
   * keep the types that it has seen, and with them the classes of a replaced engine.
   */
  public static ObjectMapper mapper() {
    return JSON;
  }

  /** Prepares the reader of a type, which takes 10 ms that the first caller would wait. */
  public static void prepare(Class<?> type) {
    var unused = JSON.readerFor(type);
  }
}
