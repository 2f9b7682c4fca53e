package dev.holdfast.support.internal.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.audit.AuditFilter;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.support.internal.pack.EntrySink;
import dev.holdfast.support.internal.pack.SupportRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A query of the nodes' audit logs: the newest events that a filter selects. */
final class AuditQuery {
  /** Limit of events from one node. */
  static final int MOST = 10_000;

  private static final List<String> FIELDS = List.of("user", "verb", "kind", "name", "since");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Map<String, String> values;
  private final AuditFilter filter;

  private AuditQuery(Map<String, String> values) throws StorageException {
    this.values = Map.copyOf(values);
    Optional<String> since = value("since");
    Optional<Instant> start =
        since.isEmpty() ? Optional.empty() : Optional.of(SupportRequest.time(since.get()));
    this.filter =
        new AuditFilter(value("user"), value("verb"), value("kind"), value("name"), start);
  }

  /**
   * Parses the parameters of a request.
   *
   * @throws StorageException INVALID for an unknown parameter or an invalid time
   */
  static AuditQuery of(Map<String, String> parameters) throws StorageException {
    for (String name : parameters.keySet()) {
      if (!FIELDS.contains(name)) {
        throw new StorageException(
            ErrorCode.INVALID, name + ": must be one of " + String.join(", ", FIELDS));
      }
    }
    return new AuditQuery(parameters);
  }

  /**
   * Parses the request of another node.
   *
   * @throws StorageException INVALID
   */
  static AuditQuery parse(byte[] request) throws StorageException {
    try {
      JsonNode tree = MAPPER.readTree(request);
      Map<String, String> values = new TreeMap<>();
      tree.fieldNames().forEachRemaining(name -> values.put(name, tree.path(name).asText()));
      return of(values);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, "the request is not JSON", e);
    }
  }

  private Optional<String> value(String name) {
    return Optional.ofNullable(values.get(name)).filter(text -> !text.isEmpty());
  }

  /** Returns the request for another node. */
  byte[] toBytes() {
    ObjectNode tree = MAPPER.createObjectNode();
    values.forEach(tree::put);
    return tree.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Sends the newest events of a node, oldest first, as lines of one file. */
  void collect(AuditFolder folder, EntrySink sink) throws StorageException, IOException {
    ArrayDeque<JsonNode> newest = new ArrayDeque<>();
    folder.read(
        filter,
        event -> {
          if (newest.size() == MOST) {
            newest.removeFirst();
          }
          newest.addLast(event);
        });
    StringBuilder lines = new StringBuilder();
    newest.forEach(event -> lines.append(event).append('\n'));
    sink.entry("audit", lines.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Parses the lines of a node, and adds its name to each event. */
  static List<ObjectNode> events(String node, byte[] lines) throws StorageException {
    try {
      List<ObjectNode> events = new ArrayList<>();
      for (String line : new String(lines, StandardCharsets.UTF_8).lines().toList()) {
        if (MAPPER.readTree(line) instanceof ObjectNode event) {
          events.add(event.put("node", node));
        }
      }
      return events;
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID, "node " + node + " did not send events of an audit log", e);
    }
  }
}
