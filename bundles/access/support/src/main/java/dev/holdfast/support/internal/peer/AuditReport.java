package dev.holdfast.support.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.support.internal.pack.EntrySink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Merges the events of several nodes by time. Names unreachable nodes. */
final class AuditReport {
  private final ExecutorService threads;

  AuditReport(ExecutorService threads) {
    this.threads = threads;
  }

  /** Calls one node. */
  @FunctionalInterface
  interface Ask {
    /** Collects the events of a node. */
    void collect(EntrySink sink) throws StorageException, IOException;
  }

  /** Calls all nodes concurrently, and returns the document. */
  JsonNode of(Map<String, Ask> nodes) throws IOException {
    Map<String, Future<List<ObjectNode>>> work = new LinkedHashMap<>();
    nodes.forEach((node, ask) -> work.put(node, threads.submit(() -> events(node, ask))));
    List<ObjectNode> events = new ArrayList<>();
    ObjectNode report = JsonNodeFactory.instance.objectNode().put("kind", "AuditReport");
    ArrayNode states = report.putArray("nodes");
    for (Map.Entry<String, Future<List<ObjectNode>>> each : work.entrySet()) {
      ObjectNode state = states.addObject().put("name", each.getKey());
      try {
        List<ObjectNode> found = each.getValue().get();
        state.put("complete", found.size() < AuditQuery.MOST);
        events.addAll(found);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        state.put("complete", false).put("error", String.valueOf(cause.getMessage()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the nodes were called", e);
      }
    }
    events.sort(Comparator.comparing(event -> event.path("requestReceivedTimestamp").asText("")));
    report.putArray("items").addAll(events);
    return report;
  }

  private static List<ObjectNode> events(String node, Ask ask)
      throws StorageException, IOException {
    List<ObjectNode> events = new ArrayList<>();
    List<byte[]> files = new ArrayList<>();
    ask.collect((name, content) -> files.add(content));
    for (byte[] file : files) {
      events.addAll(AuditQuery.events(node, file));
    }
    return events;
  }
}
