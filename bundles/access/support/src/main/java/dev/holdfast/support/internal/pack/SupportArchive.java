package dev.holdfast.support.internal.pack;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.luben.zstd.ZstdOutputStream;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates the archive of a support bundle: one folder for each node below {@code nodes/}, and
 * {@code manifest.json}, which lists unreachable nodes. The nodes work concurrently.
 */
public final class SupportArchive {
  private final ExecutorService threads;
  private final InstantSource clock;

  /** Creates a maker. */
  public SupportArchive(ExecutorService threads, InstantSource clock) {
    this.threads = threads;
    this.clock = clock;
  }

  /** Collects the part of one node. */
  @FunctionalInterface
  public interface Part {
    /**
     * Collects the part.
     *
     * @throws StorageException if the node cannot be reached
     * @throws IOException if the part cannot be read, or the receiver has disconnected
     */
    void collect(EntrySink sink) throws StorageException, IOException;
  }

  /**
   * Writes an archive.
   *
   * @param parts of the nodes, by name
   * @param target stream, closed at the end
   * @throws IOException if the receiver has disconnected
   */
  public void write(SupportRequest request, Map<String, Part> parts, OutputStream target)
      throws IOException {
    try (ZstdOutputStream zstd = new ZstdOutputStream(target)) {
      TarWriter tar = new TarWriter(zstd);
      tar.flush();
      Map<String, Future<Integer>> work = new LinkedHashMap<>();
      parts.forEach((node, part) -> work.put(node, threads.submit(() -> collect(node, part, tar))));
      ObjectNode manifest = JsonNodeFactory.instance.objectNode();
      manifest.put("created", clock.instant().toString());
      manifest.put("since", request.since().toString());
      request.volume().ifPresent(name -> manifest.put("volume", name));
      ArrayNode nodes = manifest.putArray("nodes");
      for (Map.Entry<String, Future<Integer>> each : work.entrySet()) {
        add(nodes.addObject().put("name", each.getKey()), each.getValue());
      }
      byte[] text = manifest.toPrettyString().getBytes(StandardCharsets.UTF_8);
      tar.entry("manifest.json", text, clock.instant());
      tar.finish();
    }
  }

  private static void add(ObjectNode node, Future<Integer> work) throws IOException {
    try {
      node.put("state", "collected").put("files", work.get());
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      node.put("state", cause instanceof StorageException ? "unreachable" : "incomplete");
      node.put("reason", String.valueOf(cause.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the nodes collected", e);
    }
  }

  private int collect(String node, Part part, TarWriter tar) throws StorageException, IOException {
    AtomicInteger files = new AtomicInteger();
    part.collect(
        (name, content) -> {
          tar.entry("nodes/" + node + "/" + name, content, clock.instant());
          files.incrementAndGet();
        });
    return files.get();
  }
}
