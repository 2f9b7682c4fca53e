package dev.holdfast.engine.spdk.simulator.internal.bdev;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Limits of a device as SPDK keeps them. The simulator does not slow requests down. */
public final class RateLimits {
  /** Names of the limits. */
  public static final List<String> NAMES =
      List.of("rw_ios_per_sec", "rw_mbytes_per_sec", "r_mbytes_per_sec", "w_mbytes_per_sec");

  private static final long IOS_STEP = 1_000;

  private final Map<String, Long> values = new LinkedHashMap<>();

  RateLimits() {
    NAMES.forEach(name -> values.put(name, 0L));
  }

  /** Sets a limit. Zero removes it. Requests per second are rounded up to thousands. */
  public synchronized void set(String name, long value) {
    boolean rounded = name.equals("rw_ios_per_sec");
    values.put(name, rounded ? (value + IOS_STEP - 1) / IOS_STEP * IOS_STEP : value);
  }

  /** Returns whether there is any limit. */
  public synchronized boolean areSet() {
    return values.values().stream().anyMatch(value -> value > 0);
  }

  synchronized void describe(ObjectNode into) {
    values.forEach(into::put);
  }
}
