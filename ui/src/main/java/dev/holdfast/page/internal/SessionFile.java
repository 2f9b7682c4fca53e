package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps sessions across a restart, as hashes of their secrets. A file that cannot be read ends the
 * sessions; one that cannot be written leaves them valid until the restart.
 */
final class SessionFile {
  private static final Logger LOG = LoggerFactory.getLogger(SessionFile.class);

  private final Path file;
  private final ObjectMapper mapper = new ObjectMapper();

  SessionFile(Path data) {
    this.file = data.resolve("page").resolve("sessions.json");
  }

  /** Returns the sessions by the hash of their secret. */
  Map<String, Session> read() {
    Map<String, Session> sessions = new LinkedHashMap<>();
    if (Files.exists(file)) {
      try {
        JsonNode root = mapper.readTree(Files.readAllBytes(file));
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
          sessions.put(entry.getKey(), session(entry.getValue()));
        }
      } catch (IOException | DateTimeException e) {
        LOG.warn("{}: not readable, users of the page must sign in again: {}", file, e.toString());
        sessions.clear();
      }
    }
    return sessions;
  }

  void write(Map<String, Session> sessions) {
    ObjectNode root = mapper.createObjectNode();
    sessions.forEach(
        (hash, session) ->
            root.putObject(hash)
                .put("credential", session.credential())
                .put("readOnly", session.readOnly())
                .put("since", session.since().toString())
                .put("lastUsed", session.lastUsed().toString()));
    try {
      PrivateFiles.createDirectory(file.getParent());
      PrivateFiles.write(file, mapper.writeValueAsBytes(root));
    } catch (IOException e) {
      LOG.warn("{}: could not write the sessions of the page: {}", file, e.toString());
    }
  }

  private static Session session(JsonNode node) {
    return new Session(
        node.path("credential").asText(),
        node.path("readOnly").asBoolean(true),
        Instant.parse(node.path("since").asText()),
        Instant.parse(node.path("lastUsed").asText()));
  }
}
