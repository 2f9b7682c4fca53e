package dev.holdfast.access.clients.internal.member;

import dev.holdfast.certificates.files.InitiatorCredential;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernels of nodes that connect to a volume by NVMe. Calls the nodes of its tickets in the
 * background, so that a node that does not reply delays the caller for at most half a second.
 * Thread-safe.
 */
public final class MemberKernels implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberKernels.class);
  private static final int THREADS = 4;
  private static final long WAIT_MILLIS = 500;
  private static final String NQN = "nqn.";

  private final MemberInitiators members;
  private final Map<String, Map<String, InitiatorCredential>> known = new ConcurrentHashMap<>();
  private final Map<String, Future<?>> asks = new ConcurrentHashMap<>();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "kernels of nodes");
            thread.setDaemon(true);
            return thread;
          });

  /** Calls nodes through {@code members}. */
  public MemberKernels(MemberInitiators members) {
    this.members = members;
  }

  /**
   * Returns the credentials of the kernels that connect to a volume, by node.
   *
   * @param holders nodes in the tickets of the volume
   */
  public Map<String, InitiatorCredential> of(String volume, List<String> holders) {
    if (holders.isEmpty()) {
      known.remove(volume);
      asks.remove(volume);
      return Map.of();
    }
    await(
        asks.compute(
            volume,
            (name, running) ->
                running == null || running.isDone()
                    ? threads.submit(() -> ask(volume, holders))
                    : running));
    Map<String, InitiatorCredential> found = new TreeMap<>(known.getOrDefault(volume, Map.of()));
    found.keySet().retainAll(holders);
    return found;
  }

  private void ask(String volume, List<String> holders) {
    known.put(volume, members.kernels(volume, holders, known.getOrDefault(volume, Map.of())));
  }

  private static void await(Future<?> ask) {
    try {
      var unused = ask.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.debug("kernels of nodes: not all nodes have answered", e);
    } catch (ExecutionException e) {
      LOG.error("kernels of nodes: could not ask for them", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the credential's name is an NVMe host name. */
  static boolean isNvme(InitiatorCredential credential) {
    return credential.initiator().startsWith(NQN);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
