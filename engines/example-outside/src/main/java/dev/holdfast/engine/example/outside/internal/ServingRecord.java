package dev.holdfast.engine.example.outside.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.example.outside.internal.disk.JsonFile;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Record of what this node serves of a volume past this program. Absent while nothing is exported.
 *
 * @param generation of the opening
 * @param session of the opening
 * @param exports their limits by name
 * @param processes that serve
 */
record ServingRecord(
    long generation,
    long session,
    Map<String, ExportLimits> exports,
    List<ProcessIdentity> processes) {
  ServingRecord {
    exports = Map.copyOf(exports);
    processes = List.copyOf(processes);
  }

  /** Returns whether one of the processes still runs. */
  boolean isAlive() {
    return processes.stream().anyMatch(ProcessIdentity::isAlive);
  }

  static Optional<ServingRecord> read(Path file) throws StorageException {
    Optional<JsonNode> json = JsonFile.read(file);
    if (json.isEmpty()) {
      return Optional.empty();
    }
    Map<String, ExportLimits> exports = new TreeMap<>();
    for (JsonNode export : json.get().path("exports")) {
      exports.put(export.path("name").asText(), limits(export.path("limits")));
    }
    List<ProcessIdentity> processes = new ArrayList<>();
    for (JsonNode process : json.get().path("processes")) {
      processes.add(
          new ProcessIdentity(
              process.path("pid").asLong(),
              process.path("startTicks").asLong(),
              process.path("bootId").asText()));
    }
    return Optional.of(
        new ServingRecord(
            json.get().path("generation").asLong(),
            json.get().path("session").asLong(),
            exports,
            processes));
  }

  private static ExportLimits limits(JsonNode json) {
    return new ExportLimits(
        json.path("requests").asLong(),
        json.path("bytes").asLong(),
        json.path("reads").asLong(),
        json.path("bytesRead").asLong(),
        json.path("writes").asLong(),
        json.path("bytesWritten").asLong(),
        json.path("burstSeconds").asInt(1));
  }

  /** Writes it durably; removes the file when nothing is exported. */
  void write(Path file) throws StorageException {
    if (exports.isEmpty()) {
      JsonFile.delete(file);
      return;
    }
    ObjectNode json = JsonFile.object().put("generation", generation).put("session", session);
    ArrayNode served = json.putArray("exports");
    new TreeMap<>(exports)
        .forEach((name, limits) -> add(served.addObject().put("name", name), limits));
    ArrayNode running = json.putArray("processes");
    for (ProcessIdentity process : processes) {
      ObjectNode written = running.addObject().put("pid", process.pid());
      written.put("startTicks", process.startTicks()).put("bootId", process.bootId());
    }
    JsonFile.write(file, json);
  }

  private static void add(ObjectNode export, ExportLimits limits) {
    ObjectNode json = export.putObject("limits").put("requests", limits.requests());
    json.put("bytes", limits.bytes()).put("reads", limits.reads());
    json.put("bytesRead", limits.bytesRead()).put("writes", limits.writes());
    json.put("bytesWritten", limits.bytesWritten()).put("burstSeconds", limits.burstSeconds());
  }
}
