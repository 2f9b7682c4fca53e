package dev.holdfast.engine.spdk.simulator.internal.bdev;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.atomic.AtomicLong;

/** Counted operations of a device. Latencies are not modelled and stay zero. Thread-safe. */
final class IoCounters {
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong bytesWritten = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();

  void read(long bytes) {
    bytesRead.addAndGet(bytes);
    reads.incrementAndGet();
  }

  void written(long bytes) {
    bytesWritten.addAndGet(bytes);
    writes.incrementAndGet();
  }

  void reset() {
    bytesRead.set(0);
    reads.set(0);
    bytesWritten.set(0);
    writes.set(0);
  }

  void describe(ObjectNode into) {
    into.put("bytes_read", bytesRead.get()).put("num_read_ops", reads.get());
    into.put("bytes_written", bytesWritten.get()).put("num_write_ops", writes.get());
    into.put("bytes_unmapped", 0).put("num_unmap_ops", 0);
    into.put("bytes_copied", 0).put("num_copy_ops", 0);
    for (String operation : new String[] {"read", "write", "unmap", "copy"}) {
      into.put(operation + "_latency_ticks", 0);
      into.put("max_" + operation + "_latency_ticks", 0);
      into.put("min_" + operation + "_latency_ticks", 0);
    }
    into.putObject("io_error");
  }
}
