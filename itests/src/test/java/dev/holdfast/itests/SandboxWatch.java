package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** All objects of a kind, as a sandbox's API server reports each change. Thread-safe. */
final class SandboxWatch implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String kind;
  private final Process process;
  private final Map<String, JsonNode> objects = new HashMap<>();

  private SandboxWatch(String kind, Process process) {
    this.kind = kind;
    this.process = process;
  }

  static SandboxWatch of(Sandbox sandbox, String kind) throws IOException {
    Process process =
        sandbox
            .starting("kubectl", "get", kind, "--watch", "--output-watch-events", "-o", "json")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    SandboxWatch watch = new SandboxWatch(kind, process);
    Thread thread = new Thread(watch::run, "watch-" + kind);
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  private void run() {
    try (MappingIterator<JsonNode> events =
        JSON.readerFor(JsonNode.class).readValues(process.getInputStream())) {
      while (events.hasNextValue()) {
        take(events.nextValue());
      }
    } catch (IOException e) {
      // It was closed; a caller that waits for more gets a time-out.
    }
  }

  private synchronized void take(JsonNode event) {
    JsonNode object = event.path("object");
    String name = object.at("/metadata/name").asText();
    if (event.path("type").asText().equals("DELETED")) {
      objects.remove(name);
    } else {
      objects.put(name, object);
    }
    notifyAll();
  }

  /** Waits until an object is as it should be, and returns it. */
  JsonNode await(String name, Duration limit, Predicate<JsonNode> condition) {
    awaitAll(
        kind + " " + name + " is as it should be",
        limit,
        all -> all.containsKey(name) && condition.test(all.get(name)));
    synchronized (this) {
      return objects.get(name);
    }
  }

  /** Waits until no object is of that sort. */
  void awaitNone(String what, Duration limit, Predicate<JsonNode> condition) {
    awaitAll("no " + kind + " " + what, limit, all -> all.values().stream().noneMatch(condition));
  }

  private synchronized void awaitAll(
      String what, Duration limit, Predicate<Map<String, JsonNode>> condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (!condition.test(objects)) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("not within " + limit + ": " + what);
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted: " + what, e);
    }
  }

  @Override
  public void close() {
    process.destroy();
  }
}
