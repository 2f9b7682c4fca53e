package dev.holdfast.engine.sparse.internal.disk;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.TypeFactory;

/** Makes what reads and writes this engine's records as JSON. */
public final class RecordJson {
  private RecordJson() {}

  /**
   * Returns a mapper that shares nothing with those of other bundles: the types that it has met are
   * else kept in one cache of the library, and with them the classes of a replaced engine.
   */
  public static ObjectMapper mapper() {
    return JsonMapper.builder().typeFactory(TypeFactory.createDefaultInstance()).build();
  }
}
