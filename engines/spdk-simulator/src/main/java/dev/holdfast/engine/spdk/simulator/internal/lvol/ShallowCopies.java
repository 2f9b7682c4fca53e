package dev.holdfast.engine.spdk.simulator.internal.lvol;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of a snapshot's own clusters to another device, each with a number. The end state is told
 * once. Thread-safe.
 */
public final class ShallowCopies {
  private static final Logger LOG = LoggerFactory.getLogger(ShallowCopies.class);

  private final Executor executor;
  private final Map<Long, Copy> copies = new TreeMap<>();
  private long lastNumber;

  /** Creates a registry whose copies run in an executor. */
  public ShallowCopies(Executor executor) {
    this.executor = executor;
  }

  /** State of one copy, guarded by its monitor. */
  private static final class Copy {
    private int copied;
    private int total;
    private boolean ended;
    private String error = "";
  }

  /** Counts a start that is refused. */
  public synchronized void refused() {
    lastNumber++;
  }

  /** Starts a copy. A source that can be written is refused later, by the state. */
  public synchronized long start(Lvol source, Bdev target) {
    long number = ++lastNumber;
    Copy copy = new Copy();
    copies.put(number, copy);
    if (!source.isSnapshot()) {
      end(copy, Errno.EPERM.text());
      return number;
    }
    List<Long> clusters = LvolChanges.ownClusters(source);
    copy.total = clusters.size();
    if (clusters.isEmpty()) {
      end(copy, "");
    } else {
      executor.execute(() -> run(copy, source, clusters, target));
    }
    return number;
  }

  private static void run(Copy copy, Lvol source, List<Long> clusters, Bdev target) {
    try {
      for (long index : clusters) {
        target.write(index * source.store().clusterSize(), LvolChanges.content(source, index));
        synchronized (copy) {
          copy.copied++;
        }
      }
      end(copy, "");
    } catch (IOException e) {
      LOG.debug("shallow copy of {} failed", source.name(), e);
      end(copy, Errno.EIO.text());
    }
  }

  private static void end(Copy copy, String error) {
    synchronized (copy) {
      copy.error = error;
      copy.ended = true;
    }
  }

  /** Returns the state of a copy and forgets a copy that has ended. */
  public synchronized ObjectNode check(long number) throws ErrnoException {
    Copy copy = copies.get(number);
    if (copy == null) {
      throw new ErrnoException(Errno.ENODEV);
    }
    synchronized (copy) {
      ObjectNode state = JsonNodeFactory.instance.objectNode();
      state.put("copied_clusters", copy.copied).put("total_clusters", copy.total);
      if (!copy.ended) {
        return state.put("state", "in progress");
      }
      copies.remove(number);
      if (copy.error.isEmpty()) {
        return state.put("state", "complete");
      }
      return state.put("state", "error").put("error", copy.error);
    }
  }
}
