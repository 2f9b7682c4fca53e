package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Failed requests by kind and code. Thread-safe. */
final class ErrorCounts {
  private final List<Map<ErrorCode, LongAdder>> ofSlots =
      Stream.of(IoKind.values()).map(kind -> newCounts()).toList();

  private static Map<ErrorCode, LongAdder> newCounts() {
    return new ConcurrentHashMap<>();
  }

  void add(int kindSlot, ErrorCode code) {
    ofSlots.get(kindSlot).computeIfAbsent(code, key -> new LongAdder()).increment();
  }

  /** Returns how many requests of a kind failed with each code. */
  Map<ErrorCode, Long> of(IoKind kind) {
    Map<ErrorCode, Long> found = new EnumMap<>(ErrorCode.class);
    ofSlots.get(kind.slot()).forEach((code, count) -> found.put(code, count.sum()));
    return found;
  }
}
